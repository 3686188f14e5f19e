"""Things that are no plain small text, in place of every file that assay reads; and outputs that are no plain new file.

An input that is not a regular file, or is too large, is an error that says so, in 3 s, without being read. An output goes to
what is named: a link stays a link, a pipe a pipe.
"""
import functools, gzip, os, pathlib, resource, shutil, subprocess, tempfile, threading

from . import data
from .databases import bind
from .measure import Case, Plan
from .sql import SPIDER

DEADLINE = 3.0
ARGS = [*SPIDER, "--pred", "pred.txt", "--timeout", "1s"]


def link(to):
    return lambda p: p.symlink_to(to)


def piped(path):
    os.mkfifo(path.with_name(path.name + ".pipe"))
    path.symlink_to(path.name + ".pipe")


def sparse(path):
    path.write_bytes(b"")
    os.truncate(path, 10 << 30)


# Things that are not files, or too large to be read whole.
THINGS = {"zero": link("/dev/zero"), "random": link("/dev/urandom"), "full": link("/dev/full"), "pipe": os.mkfifo, "link-to-pipe": piped, "socket": bind,
          "folder": os.mkdir, "link-to-itself": lambda p: p.symlink_to(p.name), "memory": link("/proc/self/mem"), "pagemap": link("/proc/self/pagemap"), "sparse-10-gb": sparse}


def zstd_bomb(megabytes):
    """A frame of zstd whose blocks repeat one byte: 4 bytes for 128 KB."""
    block = (1 << 17 << 3 | 1 << 1).to_bytes(3, "little") + b" "
    return b"\x28\xb5\x2f\xfd\x00\x78" + block * (megabytes * 8)


def write(content):
    return lambda p: p.write_bytes(content() if callable(content) else content)


LINE = b'{"id": "0", "question": "a", "query": "SELECT 1", "db_id": "shop"}'
# Contents that are not the text that is expected. Each is regular and short on the disk, or a limit of its own applies.
CONTENTS = {
    "nul-bytes": write(b"\0" * 100000), "utf-16": write(lambda: ("[" + LINE.decode() + "]").encode("utf-16")), "utf-32": write(lambda: LINE.decode().encode("utf-32")),
    "latin-1": write(b'[{"question": "caf\xe9 \x80\xff", "query": "SELECT 1", "db_id": "shop"}]\nname = "caf\xe9"\n'), "only-mark": write(b"\xef\xbb\xbf"),
    "line-200-mb": write(lambda: b'{"id": "' + b"x" * (200 << 20)), "lines-many": write(lambda: b"[]\n" * 20_000_000),
    "json-deep": write(lambda: b"[" * 5_000_000), "json-deep-objects": write(lambda: b'{"a":' * 2_000_000), "json-keys": write(lambda: b"{" + b",".join([b'"db_id": 1'] * 500_000) + b"}"),
    "json-many": write(lambda: b"[" + b",".join([b"{}"] * 3_000_000) + b"]"), "gzip-bomb": write(lambda: gzip.compress(b" " * (1 << 20)) * 5000), "zstd-bomb": write(lambda: zstd_bomb(20000)),
    "csv-open-quote": write(lambda: b'item,reason,sql\n"' + b"x" * (60 << 20)), "toml-deep": write(lambda: b"a = " + b"[" * 1_000_000), "toml-keys": write(lambda: b"a" + b".a" * 500_000 + b" = 1"),
    "toml-many": write(lambda: b"".join(b"[[arm]]\nname = 'a%d'\nmethod = 'standard'\n" % i for i in range(200_000))), "carriage-returns": write(b"a\rb\r[1]\r" * 1000),
    "escape": write(b'\x1b]52;c;aGk=\x07\x9b2J = "\xe2\x80\xae"\n'), "empty": write(b""),
}


def evaluate(folder, *more):
    data.dataset(folder)
    (folder / "pred.txt").write_text("SELECT 1\n")
    return Plan(["eval", *ARGS, *more], DEADLINE)


def config(verb="check", **parts):
    def make(folder):
        data.dataset(folder)
        data.experiment(folder, **parts)
        return Plan(["config", "check", "exp.toml"] if verb == "check" else [verb, "exp.toml", "--quiet"], DEADLINE, "run")
    return make


def stored(*args):
    """A verb on a store with an imported run, x, and one that asked the baseline, exp."""
    def make(folder):
        data.dataset(folder)
        (folder / "store").rmdir()
        shutil.copytree(store() / "store", folder / "store")
        next((folder / "store").glob("x-*")).rename(folder / "store/x-0000000000")
        return Plan([*args, "--store", "store"], DEADLINE, "run")
    return make


@functools.cache
def store():
    """A folder with a store of two runs, which the binary made."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hostile-data-", dir=data.template()))
    evaluate(folder)
    data.experiment(folder)
    for args in (["import", "--name", "x", *ARGS], ["run", "exp.toml"]):
        subprocess.run([data.binary, *args, "--store", "store"], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return folder


def plain(*args, **env):
    return lambda folder: Plan(list(args), DEADLINE, "run", env=env)


def method(folder):
    (folder / "mine").mkdir()
    (folder / "mine/method.star").write_text('def answer(q):\n    return ask("prompt")\n')
    (folder / "mine/prompt.jinja").write_text("{{ input(q) }}\n")
    return Plan(["method", "check", "mine"], DEADLINE, "run")


def annotated(folder, *args):
    """A verb on a file of one annotated demonstration, with its review beside it."""
    data.dataset(folder, "SELECT name FROM t")
    data.demonstration(folder)
    (folder / "review.csv").write_text("id,db,hardness,part,text,sql,by,score,why,verdict,note\na,shop,,question,Which?,SELECT 1,,,,keep,\n")
    plan = Plan(list(args), DEADLINE, "run")
    plan.writes = (*plan.writes, "given")
    return plan


# Every file that is read: the command, and where the hostile thing is put.
KEYED = dict(model='provider = "openai"\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\nkey_file = "key"')
INPUTS = {
    "experiment-check": (plain("config", "check", "in.toml"), "in.toml"), "experiment-run": (plain("run", "in.toml"), "in.toml"), "experiment-show": (plain("config", "show", "in.toml"), "in.toml"),
    "experiment-plan": (plain("plan", "in.toml"), "in.toml"), "experiment-prompt": (plain("prompt", "in.toml"), "in.toml"), "experiment-tokens": (plain("tokens", "in.toml"), "in.toml"), "experiment-stats": (plain("stats", "in.toml"), "in.toml"),
    "questions": (evaluate, "data/dev.json"), "questions-check": (config(), "data/dev.json"), "tables": (evaluate, "data/tables.json"), "tables-run": (config("run"), "data/tables.json"),
    "pred": (evaluate, "pred.txt"), "pred-jsonl": (lambda f: evaluate(f, "--pred", "pred.jsonl"), "pred.jsonl"), "pred-json": (lambda f: evaluate(f, "--pred", "pred.json"), "pred.json"),
    "gold": (lambda f: evaluate(f, "--gold", "gold.sql"), "gold.sql"), "overrides": (lambda f: evaluate(f, "--overrides", "over.csv"), "over.csv"), "import-pred": (lambda f: replaced(evaluate(f), "import", "--name", "y"), "pred.txt"),
    "exemplars": (config("run", top="exemplars.file = 'demos'\nexemplars.k = 1"), "demos"), "prices": (config("run", top="budget.prices = 'prices.toml'\nbudget.usd = 1"), "prices.toml"),
    "exemplars-check": (config(top="exemplars.file = 'demos'\nexemplars.k = 1"), "demos"), "prices-check": (config(top="budget.prices = 'prices.toml'\nbudget.usd = 1"), "prices.toml"), "key-check": (config(**KEYED), "key"),
    "prices-flag": (lambda f: replaced(config("plan")(f), "plan", "exp.toml", "--prices", "p.toml"), "p.toml"), "key": (config("run", **KEYED), "key"), "block": (config("run", arm="method = 'standard'\nblocks.rules = 'block.txt'"), "block.txt"),
    "method-star": (method, "mine/method.star"), "method-template": (method, "mine/prompt.jinja"), "method-folder": (plain("method", "check", "other"), "other"), "method-more": (method, "mine/notes.txt"),
    "ledger-import": (plain("ledger", "import", "in.jsonl"), "in.jsonl"), "ledger-import-zst": (plain("ledger", "import", "in.jsonl.zst"), "in.jsonl.zst"), "ledger-foreign": (plain("ledger", "import", "--foreign", "--provider", "openai", "--model", "m", "in.jsonl"), "in.jsonl"),
    "ledger-verify": (stored("ledger", "verify"), "store/ledger.db"), "ledger-stats": (stored("ledger", "stats"), "store/ledger.db"), "judged": (stored("errors", "x", "--judged", "judged.csv"), "judged.csv"),
    "run-settings": (stored("report", "x"), "store/x-0000000000/run.toml"), "run-settings-runs": (stored("runs"), "store/x-0000000000/run.toml"), "run-settings-again": (stored("eval", "--pred", "x"), "store/x-0000000000/run.toml"),
    "run-items": (stored("report", "x"), "store/x-0000000000/items.csv"), "run-items-diff": (stored("diff", "x", "x"), "store/x-0000000000/items.csv"), "run-candidates": (stored("show", "x", "shop-56ed41e3"), "store/x-0000000000/candidates.csv"),
    "experiment-fidelity": (plain("config", "show", "in.toml", "--fidelity"), "in.toml"), "recall": (lambda f: annotated(f, "recall", *SPIDER), "data/dev.json"),
    "demos-make": (lambda f: annotated(f, "demos", "make", *SPIDER, "--split", "dev", "--out", "given"), "data/dev.json"), "demos-check": (lambda f: annotated(f, "demos", "check", "demos.toml", *SPIDER), "demos.toml"),
    "demos-review": (lambda f: annotated(f, "demos", "review", "demos.toml", "--out", "given"), "demos.toml"), "demos-apply": (lambda f: annotated(f, "demos", "apply", "demos.toml", "--review", "review.csv", "--out", "given"), "review.csv"),
    "run-questions": (stored("errors", "x"), "store/x-0000000000/questions.csv"), "run-calls": (stored("show", "x", "shop-56ed41e3"), "store/x-0000000000/calls.csv"),
}
TEXTS = ["experiment-check", "experiment-run", "questions", "tables", "pred", "pred-jsonl", "gold", "overrides", "exemplars", "prices", "method-star", "method-template", "ledger-import", "ledger-import-zst", "ledger-foreign", "run-settings", "run-items", "run-candidates", "key", "demos-check", "demos-apply", "recall"]


def sound(folder, name):
    """The command as it is without a hostile thing: it has to work, so that what fails elsewhere is what was put there."""
    plan = INPUTS[name][0](folder)
    plan.deadline, plan.want = 2 * DEADLINE, "ok"
    return plan


def replaced(plan, *args):
    """The plan of eval as another command, with the flags that it has."""
    plan.args = [*args, *(plan.args[1:] if plan.args[0] == "eval" else [])]
    return plan


def at(folder, name, thing, want):
    make, where = INPUTS[name]
    plan = make(folder)
    path = folder / where
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    thing(path)
    plan.want = want
    return plan


# Inputs that a verb may do without: what stands there is a warning, or makes no difference.
OPTIONAL = {"tables", "tables-run", "method-more", "run-settings-runs", "ledger-verify", "ledger-stats", "run-questions", "run-calls", "run-candidates", "run-items", "run-items-diff", "run-settings", "method-folder", "questions-check", "exemplars-check", "prices-check", "key-check", "key"}


def to_pipe(folder, *args):
    """An output to a pipe that is read: it stays a pipe, and what is read is whole."""
    plan = stored(*args)(folder)
    os.mkfifo(folder / "given")
    got = []
    threading.Thread(target=lambda: got.append((folder / "given").read_bytes()), daemon=True).start()
    plan.checks.append(lambda done: [] if got and got[0] else ["answer: nothing came through the pipe"])
    return plan


def to_link(folder, *args, target="file"):
    plan = stored(*args)(folder)
    (folder / "target").mkdir()
    (folder / "target/file").write_text("old")
    (folder / "given").symlink_to(target if target.startswith("/") else "target/" + target)
    plan.writes = (*plan.writes, "target")
    if target == "file":
        plan.checks.append(lambda done: ["answer: the link's target was not written"] if (folder / "target/file").read_text() == "old" else [])
    plan.want = "error" if target == "/dev/full" else "any"
    return plan


def limited(folder, *args):
    plan = stored(*args)(folder)
    plan.limits, plan.want = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))), "error"
    plan.writes = (*plan.writes, "given")
    plan.checks.append(lambda done: [f"answer: left {p.name}" for p in folder.iterdir() if "tmp" in p.name and p.name != "tmp" or p.name.startswith(".given")])
    return plan


def nowhere(folder, *args):
    plan = stored(*args)(folder)
    plan.want = "error"
    return plan


OUTPUTS = {"export": ("ledger", "export", "given"), "items": ("eval", *ARGS, "--items", "given"), "check-items": ("check-gold", *SPIDER, "--items", "given"), "errors": ("errors", "x", "--out", "given"), "stats": ("stats", *SPIDER, "--items", "given"), "recall": ("recall", *SPIDER, "--items", "given"),
           "demos-make": ("demos", "make", *SPIDER, "--split", "dev", "--out", "given"), "demos-review": ("demos", "review", "demos.toml", "--out", "given")}


def outputs():
    for name, args in OUTPUTS.items():
        missing = [a.replace("given", "no/such/given") for a in args]
        for what, make in {"pipe": to_pipe, "link": to_link, "link-stdout": functools.partial(to_link, target="/proc/self/fd/1"), "link-full": functools.partial(to_link, target="/dev/full"),
                           "link-null": functools.partial(to_link, target="/dev/null"), "disk-full": limited}.items():
            yield f"{name}-{what}", functools.partial(with_predictions, make=make, args=args)
        yield f"{name}-nowhere", functools.partial(with_predictions, make=nowhere, args=missing)


def with_predictions(folder, make, args):
    plan = make(folder, *args)
    (folder / "pred.txt").write_text("SELECT 2\n")
    data.questions(folder, [{"query": "SELECT name FROM t"}])
    data.demonstration(folder)
    return plan


SOUND = ["questions", "questions-check", "tables", "tables-run", "pred", "import-pred", "method-star", "ledger-verify", "ledger-stats", "run-settings", "run-settings-runs", "run-settings-again", "run-items-diff", "run-candidates", "run-questions", "demos-make", "demos-check", "demos-review", "demos-apply", "recall"]


def cases():
    for name in SOUND:
        yield Case("files", f"{name}-as-it-is", functools.partial(sound, name=name))
    for name in INPUTS:
        for thing, put in THINGS.items():
            want = "any" if name in OPTIONAL or thing in ("full", "link-to-itself") else "error"
            yield Case("files", f"{name}-{thing}", functools.partial(at, name=name, thing=put, want=want))
    for name in TEXTS:
        for content, put in CONTENTS.items():
            yield Case("files", f"{name}-{content}", functools.partial(at, name=name, thing=put, want="any"))
    for name, make in outputs():
        yield Case("files", f"output-{name}", make)
