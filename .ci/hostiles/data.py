"""The small inputs that cases change: a database, a dataset of one question in Spider's layout, an experiment on it."""
import functools, json, pathlib, shutil, sqlite3, tempfile

QUESTION = "How many things are there?"
binary = None  # the binary under test, for inputs that it makes itself


@functools.cache
def template():
    """A folder with the dataset, built once: data/dev.json, data/tables.json, data/database/shop/shop.sqlite."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hostile-data-"))
    base = folder / "data/database/shop"
    base.mkdir(parents=True)
    make_database(base / "shop.sqlite")
    questions(folder, [{}])
    names = [[-1, "*"], [0, "id"], [0, "name"], [0, "n"], [1, "id"], [1, "t_id"], [1, "v"]]
    (folder / "data/tables.json").write_text(json.dumps([{
        "db_id": "shop", "table_names_original": ["t", "u"], "table_names": ["t", "u"], "column_names_original": names,
        "column_names": names, "column_types": ["text", "number", "text", "number", "number", "number", "text"],
        "foreign_keys": [[5, 1]], "primary_keys": [1, 4]}]))
    return folder


def remove():
    if template.cache_info().currsize:
        shutil.rmtree(template(), ignore_errors=True)


def make_database(path):
    """Two tables of 1,000 rows, a view, an index for full text and one for boxes."""
    with sqlite3.connect(path) as db:
        db.executescript("""
            CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, n INT);
            CREATE TABLE u(id INTEGER PRIMARY KEY, t_id INT REFERENCES t(id), v TEXT);
            CREATE VIEW w AS SELECT t.name, u.v FROM t JOIN u ON u.t_id = t.id;
            CREATE VIRTUAL TABLE f USING fts5(x);
            CREATE VIRTUAL TABLE r USING rtree(id, a, b);""")
        db.executemany("INSERT INTO t VALUES (?, ?, ?)", ((i, f"name {i}", i % 7) for i in range(1000)))
        db.executemany("INSERT INTO u VALUES (?, ?, ?)", ((i, i, f"v{i}") for i in range(1000)))
        db.executemany("INSERT INTO f VALUES (?)", ((f"word{i} and word{i % 10}",) for i in range(200)))
        db.executemany("INSERT INTO r VALUES (?, ?, ?)", ((i, i, i + 1) for i in range(200)))
    db.close()


def dataset(folder, gold=None, **item):
    """Put the dataset into the folder of a case, with another gold query or question where given."""
    shutil.copytree(template() / "data", folder / "data")
    if gold is not None:
        item["query"] = gold
    if item:
        questions(folder, [item])
    return folder / "data"


def questions(folder, items):
    base = {"db_id": "shop", "question": QUESTION, "query": "SELECT 1", "question_toks": [], "query_toks": [], "sql": {}}
    (folder / "data/dev.json").write_text(json.dumps([{**base, **item} for item in items]))


def demonstration(folder, sql="SELECT name FROM t", name="demos.toml"):
    """A file of one demonstration whose first step has the statement."""
    step = '[[demo.step]]\nquestion = "Which?"\nsql = %s\n'
    (folder / name).write_text('[[demo]]\nid = "a"\ndb = "shop"\nquestion = "Which?"\nsql = "SELECT 1"\ncot = "x"\n' +
                               step % json.dumps(sql) + step % '"SELECT 1"')


def prediction(folder, sql, name="pred.jsonl"):
    """A file of predictions with one candidate; sql may be bytes that are not UTF-8."""
    if isinstance(sql, bytes):
        quoted = b'"' + sql.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
        (folder / name).write_bytes(b'{"id": "0", "candidates": [{"sql": ' + quoted + b"}]}\n")
    else:
        (folder / name).write_text(json.dumps({"id": "0", "candidates": [{"sql": sql}]}) + "\n")


def experiment(folder, text="", name="exp.toml", arm='method = "standard"', dataset_="", model="", top=""):
    """An experiment on the dataset of the case, zero-shot unless a part says otherwise; every part may be added to."""
    shots = "" if "exemplars." in top else "exemplars.k = 0"
    (folder / name).write_text(f"""name = "exp"
metrics = ["ex"]
{shots}
{top}
[dataset]
kind = "spider"
path = "data"
{dataset_}
{model and "[model]"}
{model}
[[arm]]
name = "a"
{arm}
{text}
""")
