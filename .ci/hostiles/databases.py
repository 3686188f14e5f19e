"""Hostile databases: schemas that compute, names that deceive, files that are damaged, side files, things that are no file.

A dataset of two questions has one on the hostile database, "odd", and one on a sound one, "shop". What is damaged costs the
questions of that database alone; no file beside it may change or appear.
"""
import functools, os, random, shutil, socket, sqlite3, struct, threading

from . import data
from .functions import LONG, ODD
from .measure import Case, Plan
from .shapes import doubling
from .sql import SPIDER

SLOW = f"length(ltrim({LONG},{ODD}))"
NAMES = {"escape": "\x1b]52;c;aGk=\x07", "nul-like": "a\x01b\x7f", "newline": "a\nb\r\nc", "bidi": "\u202eabc\u2066", "quotes": "a\"b'c`d]e[",
         "empty": "", "space": " ", "keyword": "select", "pragma": "pragma_table_info", "comment": "a--b/*c*/", "semicolon": "x; DROP TABLE t",
         "template": "{{ 7*7 }}{% for i in x %}", "markup": "<script>alert(1)</script>", "long": "n" * 300000, "path": "../../../etc/passwd",
         "digits": "123", "percent": "%s%n%d", "c1": "a\u009b31mb", "separator": "a\u2028b"}


def script(text, rows=True, edits=()):
    """A database with table t of the rows that all have, and what the script adds; edits change sqlite_master."""
    def make(path):
        db = sqlite3.connect(path, isolation_level=None)
        db.executescript("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, n INT)")
        if rows:
            db.executescript("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<50) INSERT INTO t SELECT i, 'name '||i, i%7 FROM c")
        db.executescript("BEGIN;" + text + ";COMMIT" if text else "")
        if edits:
            db.execute("PRAGMA writable_schema = 1")
            for statement, *values in edits:
                db.execute(statement, values)
        db.close()
    return make


def schemas():
    """Schemas that compute for long when they are read or compiled; each has 30 s, the deadline of a statement."""
    index = "CREATE INDEX i ON t(length(name)+1)"
    return {
        "view-slow": script(f"CREATE VIEW s AS SELECT {SLOW} AS x"),
        "view-endless": script("CREATE VIEW s AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c) SELECT i FROM c WHERE i < 0"),
        "view-doubling": script(f"CREATE VIEW s AS {doubling(28)}"),
        "views-doubling": script("CREATE VIEW v0 AS SELECT 1 AS x;" + ";".join(f"CREATE VIEW v{i} AS SELECT a.x FROM v{i - 1} a, v{i - 1} b" for i in range(1, 30))),
        "view-for-table": script("", edits=[("UPDATE sqlite_master SET type='view', rootpage=0, sql=?", f"CREATE VIEW t AS SELECT 1 AS id, {SLOW} AS name, 2 AS n")]),
        "generated-slow": generated([SLOW]),
        "generated-many": generated([f"{SLOW}+{i}" for i in range(60)]),
        "generated-large": generated(["hex(zeroblob(400000))"], 100000),
        "check-slow": script(f"CREATE TABLE g(a INT, CHECK ({SLOW} > a))"),
        "default-slow": script(f"CREATE TABLE g(a INT, b DEFAULT ({SLOW}))"),
        "index-slow": script(index, edits=[("UPDATE sqlite_master SET sql=? WHERE name='i'", f"CREATE INDEX i ON t({SLOW}+n)")]),
        "index-partial": script(index, edits=[("UPDATE sqlite_master SET sql=? WHERE name='i'", f"CREATE INDEX i ON t(name) WHERE {SLOW} > n")]),
        "trigger-slow": script(f"CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT {SLOW}; END"),
        "trigger-writes": script("CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END"),
    }


def kept(build):
    """A database that takes long to build, built once and copied."""
    once = threading.Lock()
    first = data.template() / f"kept-{id(build)}"

    def make(path):
        with once:
            if not first.exists():
                build(first)
        shutil.copyfile(first, path)
    return make


def generated(columns, rows=3):
    """A table with computed columns, whose expressions are put into the schema after its rows are there."""
    definition = ",".join(f"b{i} AS ({e})" for i, e in enumerate(columns))
    return script(f"CREATE TABLE g(a INT); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<{rows}) INSERT INTO g SELECT i FROM c",
                  edits=[("UPDATE sqlite_master SET sql=? WHERE name='g'", f"CREATE TABLE g(a INT, {definition})")])


def shapes():
    columns = ",".join(f"c{i} TEXT" for i in range(1999))
    wide = f"CREATE TABLE g(id INTEGER PRIMARY KEY, {columns})"
    out = {
        "tables-10000": kept(script(";".join(f"CREATE TABLE g{i}(a INT, b TEXT)" for i in range(10000)))),
        "columns-2000": script(wide), "columns-2000-tables": script(";".join(wide.replace("g(", f"g{i}(") for i in range(40))),
        "columns-long": script("CREATE TABLE g(" + ",".join('"{}{}" TEXT'.format("n" * 900, i) for i in range(900)) + ")"),
        "keys-5000": script(";".join(f"CREATE TABLE g{i}(a INT REFERENCES g{(i * 7 + 1) % 700}(a), b INT REFERENCES t(id), c INT REFERENCES nowhere(x))" for i in range(700))),
        "keys-cycle": script("CREATE TABLE g(a INT PRIMARY KEY REFERENCES h(b)); CREATE TABLE h(b INT PRIMARY KEY REFERENCES g(a))"),
        "values-long": script("CREATE TABLE g(a TEXT); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<60) INSERT INTO g SELECT hex(zeroblob(490000))||i FROM c"),
        "value-too-long": script("CREATE TABLE g(a TEXT, b BLOB); INSERT INTO g VALUES (hex(zeroblob(20000000)), zeroblob(40000000))"),
        "values-not-text": script("CREATE TABLE g(a TEXT); INSERT INTO g VALUES (CAST(x'ff1b5b324a009bc328' AS TEXT)), (x'00'), (1e999), (NULL), ('a'||char(0)||'b')"),
        "values-escape": script("CREATE TABLE g(name TEXT); INSERT INTO g VALUES (char(27)||']52;c;aGk='||char(7)), (char(0x202e)||'x'), (char(155)||'2J'), ('a'||char(13)||'b')"),
        "values-many": script("CREATE TABLE g(name TEXT); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<100000) INSERT INTO g SELECT 'some words '||hex(i*7919) FROM c"),
        "no-tables": script("", rows=False, edits=[("DELETE FROM sqlite_master",)]),
        "only-views": script("CREATE VIEW x AS SELECT 1", edits=[("DELETE FROM sqlite_master WHERE name='t'",)]),
        "views-of-each-other": script("CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a"),
        "view-of-nothing": script("CREATE VIEW a AS SELECT * FROM nowhere"),
        "without-rowid": script("CREATE TABLE g(a TEXT PRIMARY KEY, b INT) WITHOUT ROWID; INSERT INTO g VALUES ('x', 1)"),
        "strict": script("CREATE TABLE g(a INT, b ANY) STRICT"), "types": script("CREATE TABLE g(a, b '', c " + "x" * 100000 + ", d \"\x1b[2J\")"),
        "full-text": script("CREATE VIRTUAL TABLE g USING fts5(x); CREATE VIRTUAL TABLE h USING fts4(x)"),
        "module-unknown": script("", edits=[("INSERT INTO sqlite_master VALUES ('table','g','g',0,'CREATE VIRTUAL TABLE g USING nosuch(x)')",)]),
        "module-file": script("", edits=[("INSERT INTO sqlite_master VALUES ('table','g','g',0,'CREATE VIRTUAL TABLE g USING csv(filename=''/etc/passwd'')')",)]),
        "schema-garbage": script("", edits=[("UPDATE sqlite_master SET sql='CREATE garbage'",)]),
        "schema-null": script("", edits=[("UPDATE sqlite_master SET sql=NULL, name=NULL",)]),
        "schema-two": script("", edits=[("UPDATE sqlite_master SET sql=sql||'; DROP TABLE t'",)]),
        "schema-10-mb": script("", edits=[("UPDATE sqlite_master SET sql=replace(sql,'(','(/*'||hex(zeroblob(5000000))||'*/')",)]),
        "root-far": script("", edits=[("UPDATE sqlite_master SET rootpage=999999",)]), "root-schema": script("", edits=[("UPDATE sqlite_master SET rootpage=1",)]),
        "root-negative": script("", edits=[("UPDATE sqlite_master SET rootpage=-5",)]),
        "root-shared": script("CREATE TABLE g(a TEXT, b INT)", edits=[("UPDATE sqlite_master SET rootpage=2",)]),
        "utf-16le": encoded("UTF-16le"), "utf-16be": encoded("UTF-16be"), "page-65536": paged(65536), "page-512": paged(512),
    }
    for name, text in NAMES.items():
        quoted = '"' + text.replace('"', '""') + '"'
        out[f"table-{name}"] = script(f"CREATE TABLE {quoted}(id INT, {quoted} TEXT); INSERT INTO {quoted} VALUES (1, 'x')")
    return out


def encoded(encoding):
    def make(path):
        with sqlite3.connect(path) as db:
            db.executescript(f"PRAGMA encoding = '{encoding}'; CREATE TABLE t(id INT, name TEXT); INSERT INTO t VALUES (1, 'é\u202e')")
        db.close()
    return make


def paged(size):
    def make(path):
        with sqlite3.connect(path) as db:
            db.executescript(f"PRAGMA page_size = {size}; CREATE TABLE t(id INT, name TEXT); INSERT INTO t VALUES (1, 'a')")
        db.close()
    return make


def damaged(change):
    """A sound database whose bytes are changed."""
    def make(path):
        data.make_database(path)
        bytes_ = bytearray(path.read_bytes())
        path.write_bytes(change(bytes_) or bytes_)
    return make


def put(at, raw):
    def change(b):
        b[at:at + len(raw)] = raw
    return damaged(change)


def noise(seed, share):
    def change(b):
        r = random.Random(seed)
        for _ in range(int(len(b) * share)):
            b[r.randrange(100, len(b))] = r.randrange(256)
    return damaged(change)


def cycle(b):
    """Every interior page of a table points at itself."""
    size = struct.unpack(">H", b[16:18])[0]
    for page in range(1, len(b) // size):
        at = page * size
        if b[at] == 5:
            b[at + 8:at + 12] = struct.pack(">I", page + 1)
            cells = struct.unpack(">H", b[at + 3:at + 5])[0]
            for i in range(cells):
                cell = at + struct.unpack(">H", b[at + 12 + 2 * i:at + 14 + 2 * i])[0]
                b[cell:cell + 4] = struct.pack(">I", page + 1)


def files():
    """Damaged files."""
    return {
        "truncated": damaged(lambda b: b[:len(b) // 2]), "truncated-page": damaged(lambda b: b[:4096]), "truncated-header": damaged(lambda b: b[:100]),
        "one-byte": damaged(lambda b: b"S"), "empty": lambda p: p.write_bytes(b""),
        "zeroes": lambda p: p.write_bytes(bytes(8192)), "text": lambda p: p.write_text("CREATE TABLE t(id INT);\n" * 1000), "magic": put(0, b"SQLite format 4\0"),
        "page-size-3": put(16, b"\0\3"), "page-size-0": put(16, b"\0\0"), "versions": put(18, b"\x09\x09"), "wal-version": put(18, b"\2\2"),
        "reserved": put(20, b"\xff"), "pages-many": put(28, b"\x7f\xff\xff\xff"), "free-list": put(32, struct.pack(">II", 2, 999999)),
        "format-99": put(44, struct.pack(">I", 99)), "encoding-9": put(56, struct.pack(">I", 9)), "auto-vacuum": put(52, struct.pack(">I", 3)),
        "noise-1": noise(1, 0.001), "noise-2": noise(2, 0.01), "noise-3": noise(3, 0.1), "noise-4": noise(4, 0.0003), "cycle": damaged(cycle),
        "cells": damaged(lambda b: [b.__setitem__(slice(p + 3, p + 5), b"\xff\xff") for p in range(4096, len(b), 4096)] and None),
        "appended": damaged(lambda b: b + b"\xff" * 100000),
    }


def besides():
    """Files beside a sound database."""
    def beside(suffix, content):
        def make(path):
            data.make_database(path)
            path.with_name(path.name + suffix).write_bytes(content)
        return make

    def made(suffix, how):
        def make(path):
            data.make_database(path)
            how(path.with_name(path.name + suffix))
        return make
    journal = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 1, 7, 12, 512, 4096) + bytes(512 - 28) + struct.pack(">I", 1) + bytes(4096 + 4)
    return {
        "wal-left": wal(), "wal-left-no-shm": wal(shm=False), "wal-empty": beside("-wal", b""),
        "wal-garbage": beside("-wal", b"\xff" * 9000), "wal-folder": made("-wal", os.mkdir), "wal-pipe": made("-wal", os.mkfifo),
        "wal-zero": made("-wal", lambda p: p.symlink_to("/dev/zero")), "journal-hot": beside("-journal", journal), "journal-garbage": beside("-journal", b"\xd9\xd5" * 900),
        "journal-pipe": made("-journal", os.mkfifo), "journal-folder": made("-journal", os.mkdir), "shm-pipe": wal(shm="pipe"),
    }


def wal(shm=True):
    """A database in WAL mode whose last rows are in the -wal alone, as a program that was killed leaves it."""
    def make(path):
        source = path.with_name("source")
        db = sqlite3.connect(source)
        db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t(id INT, name TEXT, n INT); INSERT INTO t VALUES (1, 'a', 2)")
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).write_bytes(source.with_name("source" + suffix).read_bytes())
        db.close()
        source.unlink()
        if shm is not True:
            path.with_name(path.name + "-shm").unlink()
        if shm == "pipe":
            os.mkfifo(path.with_name(path.name + "-shm"))
    return make


def bind(path):
    with socket.socket(socket.AF_UNIX) as s:
        here = os.open(path.parent, os.O_RDONLY)
        try:
            s.bind(f"/proc/self/fd/{here}/{path.name}")
        finally:
            os.close(here)


def sparse(path):
    data.make_database(path)
    os.truncate(path, 2 << 30)


NOT_FILES = {"folder": os.mkdir, "pipe": os.mkfifo, "socket": bind, "device-zero": lambda p: p.symlink_to("/dev/zero"), "device-null": lambda p: p.symlink_to("/dev/null"),
             "missing": lambda p: None, "link-to-nothing": lambda p: p.symlink_to("nowhere"), "link-to-itself": lambda p: p.symlink_to(p.name), "memory": lambda p: p.symlink_to("/proc/self/mem")}


def evaluate(folder):
    data.dataset(folder)
    data.questions(folder, [{"db_id": "odd", "query": "SELECT count(*) FROM t"}, {}])
    (folder / "pred.txt").write_text("SELECT count(name) FROM t\nSELECT 1\n")
    return Plan(["eval", *SPIDER, "--pred", "pred.txt", "--timeout", "1s", "--items", "out.csv"], 2.0)


def check_gold(folder):
    plan = evaluate(folder)
    return Plan(["check-gold", *SPIDER, "--timeout", "1s", "--items", "out.csv"], plan.deadline, "check-gold")


def suite(folder):
    plan = evaluate(folder)
    return Plan(["suite", "build", *SPIDER, "--timeout", "1s", "--out", "out", "--tries", "3", "--rows", "10", "--neighbours", "1"], plan.deadline, "run")


def values(folder):
    return Plan(["values", "--db", ODD_DB, "name of 5"], 3.0, "run")


def tool(folder):
    return Plan(["tool", "--db", ODD_DB, "SearchColumn", "name"], 2.0, "tool")


def run(folder):
    evaluate(folder)
    data.experiment(folder, top='timeout = "1s"', arm='method = "standard"\nschema.format = "createtable"\nvalues.use = true')
    return Plan(["run", "exp.toml", "--quiet"], 3.0, "run")


def prompt(folder):
    run(folder)
    return Plan(["prompt", "exp.toml", "--set", "schema.format=bird"], 2.0, "run")


ODD_DB = "data/database/odd/odd.sqlite"
VERBS = {"eval": evaluate, "check-gold": check_gold, "suite": suite, "values": values, "tool": tool, "run": run, "prompt": prompt}


def on(folder, verb, build, deadline=None, want="any"):
    """The verb on a dataset with the hostile database."""
    plan = VERBS[verb](folder)
    if not (folder / "data").exists():
        data.dataset(folder)
    (folder / ODD_DB).parent.mkdir()
    build(folder / ODD_DB)
    plan.deadline, plan.want = max(plan.deadline, deadline or 0), want
    return plan


def cases():
    yield from group("schema", schemas(), ("eval", "prompt", "values", "run", "suite"), 30.0)
    yield from group("shape", shapes(), ("eval", "prompt", "values"), 10.0)
    yield from group("damaged", files(), ("eval", "check-gold", "values", "run"), None, {"eval": "ok", "check-gold": "ok", "run": "ok"})
    yield from group("beside", besides(), ("eval", "values", "tool", "run"), None)
    yield from group("large", {"sparse-2-gb": sparse}, ("eval", "values", "tool", "run"), 30.0)  # a database may be large: its digest is read whole
    yield from group("no-file", NOT_FILES, ("eval", "check-gold", "values", "tool", "run"), None)


def group(kind, builders, verbs, deadline, want={}):
    for name, build in builders.items():
        for verb in verbs:
            yield Case("databases", f"{kind}-{name}-{verb}", functools.partial(on, verb=verb, build=build, deadline=deadline, want=want.get(verb, "any")))
