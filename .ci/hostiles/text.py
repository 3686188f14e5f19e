"""Texts that take over a terminal, a spreadsheet or a page, in every place where assay meets text that others wrote.

A case puts hostile texts into one place, such as questions or completions, and runs a verb that may print them, into a
terminal or into a pipe. No control character but line ends and tabs, no mark that changes the direction of writing and no
byte that is not UTF-8 may come out; a file for spreadsheets has no formula, and a page has no markup of theirs.
"""
import csv, functools, io, json, re, sqlite3, subprocess

from . import data, network
from .measure import KEY, Case, Plan
from .sql import SPIDER

PAYLOADS = {
    "osc-52": "\x1b]52;c;aGFja2Vk\x07", "osc-8": "\x1b]8;;http://x.example\x1b\\link\x1b]8;;\x1b\\", "osc-title": "\x1b]0;title\x07", "dcs": "\x1bP$q\"p\x1b\\", "csi-clear": "\x1b[2J\x1b[H", "csi-colour": "\x1b[35;5mred",
    "csi-report": "\x1b[6n\x1b[c", "c1-csi": "\u009b2J", "c1-osc": "\u009d52;c;aGk=\u009c", "return": "good\rbad", "backspace": "bad\b\b\bgood", "nul": "a\0b", "bell": "\a\a", "delete": "a\x7fb", "vertical": "a\vb\fc", "shift-out": "\x0e\x0f",
    "bidi-override": "\u202egnp.exe\u202c", "bidi-isolate": "\u2066a\u2067b\u2068c\u2069", "bidi-mark": "\u200e\u200f\u061c", "formula-equals": "=HYPERLINK(\"http://x\")", "formula-plus": "+1+cmd|' /C calc'!A0", "formula-minus": "-2+3+cmd|' /C calc'!A0",
    "formula-at": "@SUM(1+9)*cmd|' /C calc'!A0", "formula-tab": "\t=1+1", "formula-return": "\r=1+1", "markup": "<script>alert(1)</script><img src=x onerror=alert(1)>", "markup-end": "</script></style></textarea>--><svg onload=alert(1)>",
    "template": "{{ 7*7 }}{% raw %}${PATH}", "percent": "%s%n%x%!d(string=x)", "line-separators": "a\u2028b\u2029c", "tags": "\U000e0041\U000e0042", "zero-width": "a\u200bb\ufeffc", "long": "y" * 200000, "combining": "a" + "\u0301" * 5000,
}
ALL = " ".join(v for k, v in PAYLOADS.items() if k not in ("long", "combining"))
RAW = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
csv.field_size_limit(1 << 30)
STYLES = re.compile(rb"\x1b\[(?:0|1|2|4|31|32)m")  # what assay itself writes to a terminal
FORMULA = re.compile(r"[=@\t\r]|[+-](?!\d+(\.\d+)?([eE][+-]?\d+)?$)(?=.)")
MARKUP = re.compile(r"<script>alert|<img src=x|<svg onload")


def raw(done):
    """The characters of the output that had to be neutralised."""
    found = []
    for name, text in (("output", STYLES.sub(b"", done.out) if done.plan.pty else done.out), ("errors", done.err)):
        odd = sorted({f"U+{ord(c):04X}" for c in RAW.findall(text.decode("utf-8", "surrogateescape"))})
        if odd:
            found.append(f"raw: {' '.join(odd[:8])} in the {name}")
    return found


def raw_json(done):
    """As raw, and the output is JSON."""
    try:
        json.loads(done.out)
    except ValueError:
        return [*raw(done), "answer: no JSON"] if done.code == 0 else raw(done)
    return raw(done)


def sheets(*names):
    """The files for spreadsheets that were written have no formula and no raw character."""
    def check(done):
        found = []
        for path in sorted(p for pattern in names for p in done.folder.glob(pattern)):
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            cells = [c for row in csv.reader(io.StringIO(text.replace("\0", ""))) for c in row]
            bad = next((c for c in cells if FORMULA.match(c) and c != "-"), None)
            if bad is not None:
                found.append(f"raw: formula {bad[:20]!r} in {path.name}")
            if path.name != "questions.csv" and RAW.search(text):  # that file is read back, so it keeps what it was given
                found.append(f"raw: a control character in {path.name}")
        return found
    return check


def pages(done):
    """The pages that were written hold no markup of the hostile text."""
    found = [p.name for p in done.folder.rglob("*.html") if MARKUP.search(p.read_text("utf-8", "surrogateescape"))]
    return [f"raw: markup in {name}" for name in found]


# Where hostile text stands. Each prepares the folder, with an experiment exp.toml on it, and returns the server or None.
def in_question(folder, text):
    data.dataset(folder, question="Q " + text)
    data.experiment(folder)


def in_question_alone(folder, text):
    data.dataset(folder, question=text)
    data.experiment(folder)


def in_id(folder, text):
    data.dataset(folder, id="i" + text)
    data.experiment(folder)


def in_gold(folder, text):
    data.dataset(folder, gold="SELECT '" + text.replace("'", "''") + "'")
    data.experiment(folder)


def in_bad_gold(folder, text):
    data.dataset(folder, gold="SELEC " + text)
    data.experiment(folder)


def in_completion(folder, text):
    return answering(folder, network.completion("```sql\nSELECT '" + text.replace("'", "''") + "' AS \"" + text.replace('"', "") + '"\n```\n' + text))


def in_bad_completion(folder, text):
    return answering(folder, network.completion("SELECT " + text))


def in_finish(folder, text):
    return answering(folder, network.completion("SELECT 1", finish=text))


def in_answered_by(folder, text):
    return answering(folder, network.completion("SELECT 1", model=text, system_fingerprint=text))


def in_error(folder, text):
    return answering(folder, network.reply(json.dumps({"error": {"message": text, "type": text, "code": text}}), "400 Bad"))


def in_error_body(folder, text):
    return answering(folder, network.reply(text, "403 No", kind="text/plain"))


def in_status_line(folder, text):
    return answering(folder, network.reply("{}", "500 " + text.replace("\n", "").replace("\r", "")))


def in_redirect(folder, text):
    return answering(folder, network.redirect("http://127.0.0.1:1/" + text.replace("\n", "").replace("\r", "")))


def in_model_name(folder, text):
    return answering(folder, network.completion("SELECT 1"), name="m" + text)


def in_cells(folder, text):
    return in_database(folder, text, "INSERT INTO t VALUES (-1, ?, 1)", [text])


def in_names(folder, text):
    quoted = '"' + text.replace('"', "").replace("\0", "") + '"'
    return in_database(folder, text, f"CREATE TABLE {quoted}({quoted} TEXT, b INT)")


def in_arm(folder, text):
    data.dataset(folder)
    data.experiment(folder)
    path = folder / "exp.toml"
    path.write_text(path.read_text().replace('name = "a"', f'name = {json.dumps("a" + text).replace(chr(127), chr(92) + "u007f")}'))


def in_label(folder, text):
    data.dataset(folder)
    data.experiment(folder, arm='method = "standard"\nlabel = ' + json.dumps(text).replace("\x7f", "\\u007f"))


def in_value(folder, text):
    data.dataset(folder)
    data.experiment(folder, top="schema.format = " + json.dumps(text).replace("\x7f", "\\u007f"))


def in_database_name(folder, text):
    text = re.sub("[/\0\n]", "", text)[:60]
    data.dataset(folder, db_id=text)
    base = (folder / "data/database/shop").rename(folder / "data/database" / text)
    (base / "shop.sqlite").rename(base / (text + ".sqlite"))
    data.experiment(folder)


def in_missing_database(folder, text):
    data.dataset(folder, db_id=text)
    data.experiment(folder)


def in_method(folder, text):
    data.dataset(folder)
    (folder / "mine").mkdir()
    (folder / "mine/method.star").write_text('def answer(q):\n    fail("stopped: " + ' + starlark(text) + ")\n")
    data.experiment(folder, arm='method = "./mine"')


def starlark(text):
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text if not 0xD800 <= ord(c) < 0xE000) + '"'


def in_database(folder, text, statement, values=()):
    data.dataset(folder, gold="SELECT name FROM t LIMIT 3")
    db = sqlite3.connect(folder / "data/database/shop/shop.sqlite")
    with db:
        db.execute(statement, values)
    db.close()
    data.experiment(folder, arm='method = "standard"\nschema.format = "createtable"\nvalues.use = true')


def answering(folder, talk, name="m"):
    data.dataset(folder)
    server = network.serve(talk)
    named = network.model(server, name=name).replace("\x7f", "\\u007f")
    data.experiment(folder, '[limits]\nattempts = 1\nsilence = "2s"\ncall_timeout = "2s"', model=named)
    return server


PLACES = {f.__name__[3:].replace("_", "-"): f for f in (
    in_question, in_question_alone, in_id, in_gold, in_bad_gold, in_completion, in_bad_completion, in_finish, in_answered_by, in_error, in_error_body, in_status_line, in_redirect, in_model_name, in_cells, in_names,
    in_arm, in_label, in_value, in_database_name, in_missing_database, in_method)}

# The verbs that may print what others wrote; "run" is made first for those that read a run.
VERBS = {
    "run": ["run", "exp.toml"], "prompt": ["prompt", "exp.toml"], "show": ["show", "exp", "ITEM"], "diff": ["diff", "exp", "exp"], "diff-prompts": ["diff", "exp", "exp", "--prompts"], "report": ["report", "exp"], "errors": ["errors", "exp", "--out", "out.csv"],
    "runs": ["runs"], "stats": ["stats", *SPIDER], "check-gold": ["check-gold", *SPIDER], "check": ["config", "check", "exp.toml"], "config": ["config", "show", "exp.toml"], "plan": ["plan", "exp.toml"], "tokens": ["tokens", "exp.toml"],
}
READS = {"show", "diff", "diff-prompts", "report", "errors", "runs"}
AS_JSON = {"show", "diff", "runs", "plan", "stats", "prompt"}


def printed(folder, place, verb, text, mode):
    """The verb on hostile text in a place; mode is terminal, pipe or json."""
    server = PLACES[place](folder, text)
    if verb in READS:
        # The same name stands for two runs, of which the second has another item: the verbs that compare need no more.
        subprocess.run([data.binary, "run", "exp.toml", "--quiet"], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=20, env={"PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "HOSTILE_KEY": KEY})
    args = [item_of(folder) if a == "ITEM" else a for a in VERBS[verb]] + ["--json"] * (mode == "json")
    check = {"json": raw_json}.get(mode, raw)
    return Plan(args, 8.0, "run", pty=mode == "terminal", after=server.close if server else lambda: None,
                checks=[check, pages, sheets("out.csv", "runs/*/report/*.csv", "runs/*/questions.csv")])


def item_of(folder):
    """The id of the run's one item, or any."""
    for path in folder.glob("runs/*/items.csv"):
        with path.open(newline="", encoding="utf-8", errors="surrogateescape") as f:
            for row in csv.DictReader(line.replace("\0", "") for line in f):
                return row["item"]
    return "shop"


def evaluated(folder, place, text, mode):
    """eval of hostile predictions, with a table of the items."""
    PLACES["question"](folder, text)
    data.prediction(folder, {"sql": "SELECT " + text, "id": "SELECT 1"}[place])
    if place == "id":
        (folder / "pred.jsonl").write_text(json.dumps({"id": text, "candidates": [{"sql": "SELECT 1", "source": text}]}))
    args = ["eval", *SPIDER, "--pred", "pred.jsonl", "--items", "out.csv"]
    return Plan(args + {"csv": ["--format", "csv"], "json": ["--format", "json"]}.get(mode, []), 8.0, pty=mode == "terminal", checks=[raw_json if mode == "json" else raw, sheets("out.csv")])


def argument(folder, args, mode):
    data.dataset(folder)
    data.experiment(folder)
    return Plan(args, 4.0, "run", pty=mode == "terminal", checks=[raw])


ODD_ARGS = [a for a in (PAYLOADS[k] for k in ("osc-52", "csi-clear", "c1-csi", "return", "bidi-override", "delete"))]
ARGUMENTS = {"run": ["run", "X"], "check": ["config", "check", "X.toml"], "verb": ["X"], "flag": ["run", "--X"], "set": ["run", "exp.toml", "--set", "X=1"], "set-value": ["run", "exp.toml", "--set", "schema.format=X"],
             "show": ["show", "X", "y"], "db": ["values", "--db", "X", "q"], "tool": ["tool", "--db", "data/database/shop/shop.sqlite", "X"], "sql": ["tool", "--db", "data/database/shop/shop.sqlite", "ExecuteSQL", "SELECT 'X' AS \"X\""],
             "bad-sql": ["explain", "--db", "data/database/shop/shop.sqlite", "SELECT X"], "method": ["method", "show", "X"], "metric": ["eval", "--metrics", "X", "--pred", "y"], "import": ["ledger", "import", "X"], "question": ["values", "--db", "data/database/shop/shop.sqlite", "name X 5"],
             "value": ["tool", "--db", "data/database/shop/shop.sqlite", "SearchValue", "X"]}


def cases():
    for place in PLACES:
        for verb in VERBS:
            for mode in ("terminal", "json") if verb in AS_JSON else ("terminal",):
                yield Case("text", f"{place}-{verb}-{mode}", functools.partial(printed, place=place, verb=verb, text=ALL, mode=mode))
        yield Case("text", f"{place}-run-pipe", functools.partial(printed, place=place, verb="run", text=ALL, mode="pipe"))
    for name, text in PAYLOADS.items():
        for place in ("question-alone", "completion"):
            for verb in ("show", "report"):
                yield Case("text", f"one-{name}-{place}-{verb}", functools.partial(printed, place=place, verb=verb, text=text, mode="terminal"))
    for place in ("sql", "id"):
        for mode in ("terminal", "csv", "json"):
            yield Case("text", f"eval-{place}-{mode}", functools.partial(evaluated, place=place, text=ALL, mode=mode))
    for name, args in ARGUMENTS.items():
        text = " ".join(ODD_ARGS)
        yield Case("text", f"argument-{name}", functools.partial(argument, args=[a.replace("X", text) for a in args], mode="terminal"))
