"""Settings that are too large, lie or point elsewhere; an environment that lacks something; limits; and signals to verbs.

config check and run refuse the same settings, with file and line, in 3 s. A signal ends every verb within 2 s, and
no process outlives one that was killed.
"""
import functools, os, resource, signal, time

from . import data, network
from .databases import SLOW
from .files import ARGS, stored
from .measure import Case, Plan
from .shapes import SHAPES, doubling
from .sql import SPIDER

# name: what is added to an experiment, as arguments of data.experiment; check must refuse each.
REFUSED = {
    "sweep-values": dict(text="[sweep]\ntemperature = [" + ",".join("0.%06d" % i for i in range(200000)) + "]"),
    "sweep-axes": dict(text="[sweep]\n" + "\n".join(f"{k} = [{','.join(map(str, range(1, 1001)))}]" for k in ("k", "samples", "turns"))),
    "sweep-product": dict(text="[sweep]\n" + "\n".join(f"{k} = [{','.join(map(str, range(1, 33)))}]" for k in ("k", "samples", "schema.rows", "values.k", "model.max_tokens", "model.top_k"))),
    "seeds-many": dict(top="seeds = [" + ",".join(map(str, range(1000000))) + "]"), "seeds-huge": dict(top="seeds = [99999999999999999999]"),
    "samples-huge": dict(model="samples = 1000000000"), "temperature-huge": dict(model="temperature = 1e308"), "temperature-nan": dict(model="temperature = nan"), "top-p-inf": dict(model="top_p = inf"), "max-tokens-huge": dict(model="max_tokens = 9223372036854775807"),
    "k-huge": dict(top="exemplars.k = 1000000000"), "rows-huge": dict(top="schema.rows = 1000000000"), "rows-negative": dict(top="schema.rows = -1"), "limit-negative": dict(dataset_="limit = -1"), "workers-huge": dict(top="workers = 1000000000"), "workers-negative": dict(top="workers = -1"),
    "timeout-zero": dict(top='timeout = "0s"'), "timeout-huge": dict(top='timeout = "999999999h"'), "timeout-negative": dict(top='timeout = "-1s"'), "concurrency-huge": dict(top="limits.concurrency = 1000000000"), "attempts-huge": dict(top="limits.attempts = 1000000000"),
    "budget-negative": dict(top="budget.usd = -1"), "budget-nan": dict(top="budget.usd = nan"), "directions": dict(arm='method = "standard"\nselection.directions = 99'), "votes-huge": dict(arm='method = "interactive"\nagent.votes = 1000000000'), "turns-huge": dict(arm='method = "interactive"\nagent.turns = 1000000000'),
    "tables-outside": dict(text='[report]\ntables = ["../../x"]'), "tables-unknown": dict(text='[report]\ntables = ["nosuch"]'), "tables-absolute": dict(text='[report]\ntables = ["/etc/passwd"]'), "figures-outside": dict(text='[report]\nfigures = ["../../x"]'), "figures-unknown": dict(text='[report]\nfigures = ["nosuch"]'),
    "tables-empty": dict(text='[report]\ntables = [""]'), "table-name": dict(text='[[table]]\nname = "../../x"\nrows = ["arm"]\ncells = ["ex"]'), "table-name-long": dict(text=f'[[table]]\nname = "{"n" * 100000}"\nrows = ["arm"]\ncells = ["ex"]'),
    "method-imported": dict(arm='method = "imported"'), "provider-imported": dict(model='provider = "imported"'), "method-outside": dict(arm='method = "../../../etc"'), "method-file": dict(arm='method = "./exp.toml"'), "method-root": dict(arm='method = "/"'), "method-empty": dict(arm='method = ""'), "method-long": dict(arm=f'method = "./{"m" * 100000}"'),
    "arms-many": dict(text="\n".join(f'[[arm]]\nname = "b{i}"\nmethod = "standard"' for i in range(30000))), "arm-twice": dict(text='[[arm]]\nname = "a"\nmethod = "cot"'), "arm-name-empty": dict(text='[[arm]]\nname = ""\nmethod = "cot"'), "arm-name-path": dict(text='[[arm]]\nname = "../../b"\nmethod = "cot"'), "arm-name-long": dict(text=f'[[arm]]\nname = "{"b" * 100000}"\nmethod = "cot"'),
    "key-unknown": dict(top="x" * 100000 + " = 1"), "key-deep": dict(top=".".join(["a"] * 50000) + " = 1"), "value-deep": dict(top="metrics = " + "[" * 100000 + "]" * 100000), "metric-unknown": dict(top='workers = 1\ntimeout = "' + "9" * 100000 + 's"'), "address-password": dict(model='provider = "openai"\nname = "m"\nbase_url = "http://user:SECRETPASSWORD@127.0.0.1:9/v1"'),
    "address-key": dict(model='provider = "openai"\nname = "m"\nbase_url = "http://127.0.0.1:9/v1?key=SECRETPASSWORD"'), "address-scheme": dict(model='provider = "openai"\nname = "m"\nbase_url = "file:///etc/passwd"'), "address-none": dict(model='provider = "openai"\nname = "m"\nbase_url = "::::"'),
    "variable-unset": dict(model='provider = "openai"\nname = "${NOT_SET_ANYWHERE}"'), "stop-many": dict(model="stop = [" + ",".join(f'"s{i}"' for i in range(100000)) + "]"), "separator-huge": dict(top='exemplars.separator = "' + "x" * 3000000 + '"'), "block-unknown": dict(arm='method = "standard"\nblocks.nosuch = ""'), "param-unknown": dict(arm='method = "standard"\nparams.nosuch = 1'),
    "path-missing": dict(dataset_='questions = "no/such"'), "questions-outside": dict(dataset_='questions = "../../../../../../etc/passwd"'), "databases-root": dict(dataset_='databases = ["/proc"]\nsplit = "nosuch"'), "features": dict(dataset_='filter.features = ["joins>=' + "9" * 1000 + '"]'), "ids-many": dict(dataset_="filter.ids = [" + ",".join(f'"i{i}"' for i in range(200000)) + "]"),
    "strata-huge": dict(dataset_='strata.by = "hardness"\nstrata.size = 1000000000\nstrata.levels = ["no"]'),
}
# Large, but a run may want them: either answer is right, in time and in bounds.
ALLOWED = {"ids-many", "stop-many", "separator-huge", "databases-root", "path-missing", "timeout-huge", "attempts-huge", "k-huge", "rows-huge", "max-tokens-huge", "temperature-huge", "concurrency-huge", "workers-huge", "votes-huge", "turns-huge", "samples-huge", "arms-many", "arm-name-path", "arm-name-long", "table-name-long", "timeout-zero", "questions-outside", "strata-huge"}


def settings(folder, parts, args, want):
    data.dataset(folder)
    data.experiment(folder, **parts)
    return Plan([*args, "exp.toml"], 5.0, "run", want=want, checks=[short, no_password])


def short(done):
    return ["answer: more than 20 KB of output"] if len(done.out) + len(done.err) > 20000 else []


def no_password(done):
    return ["scope: told the password of an address"] if b"SECRETPASSWORD" in done.out + done.err else []


def without(folder, env, args, want="ok", limits=None):
    """An ordinary command in an environment that lacks something."""
    data.dataset(folder)
    data.experiment(folder, arm='method = "standard"\nvalues.use = true')
    (folder / "pred.txt").write_text("SELECT name FROM t\n")
    return Plan(args, 8.0, "run", env=env, want=want, limits=limits, checks=[short])


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


ORDINARY = {"run": ["run", "exp.toml", "--quiet"], "eval": ["eval", *ARGS], "values": ["values", "--db", "data/database/shop/shop.sqlite", "name 5"], "check": ["config", "check", "exp.toml"], "version": ["version"]}
NO_HOME = {"HOME": None, "XDG_CACHE_HOME": None}
LACKS = {
    "no-home": (NO_HOME, None, "ok"), "home-missing": ({"HOME": "/no/such", "XDG_CACHE_HOME": None}, None, "ok"), "home-relative": ({"HOME": "x", "XDG_CACHE_HOME": "relative"}, None, "ok"), "home-file": ({"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}, None, "ok"), "no-path": ({"PATH": ""}, None, "ok"),
    "no-temporary": ({"TMPDIR": "/no/such"}, None, "ok"), "locale": ({"LC_ALL": "xx_YY.KOI8-R", "LANG": "\x1b[2J"}, None, "ok"), "go-variables": ({"GOMAXPROCS": "-5", "GOGC": "x", "GODEBUG": "x=y", "GOMEMLIMIT": "1"}, None, "any"),
    "memory-100-mb": ({}, limit(resource.RLIMIT_AS, 100 << 20), "any"), "memory-200-mb": ({}, limit(resource.RLIMIT_AS, 200 << 20), "any"), "memory-400-mb": ({}, limit(resource.RLIMIT_AS, 400 << 20), "any"), "memory-1-gb": ({}, limit(resource.RLIMIT_AS, 1 << 30), "any"),
    "files-6": ({}, limit(resource.RLIMIT_NOFILE, 6), "any"), "files-12": ({}, limit(resource.RLIMIT_NOFILE, 12), "any"), "files-24": ({}, limit(resource.RLIMIT_NOFILE, 24), "any"), "file-size-0": ({}, limit(resource.RLIMIT_FSIZE, 0), "any"), "file-size-10-kb": ({}, limit(resource.RLIMIT_FSIZE, 10000), "any"),
    "cpu-1-s": ({}, limit(resource.RLIMIT_CPU, 30), "ok"), "stack-64-kb": ({}, limit(resource.RLIMIT_STACK, 64 << 10), "any"), "data-30-mb": ({}, limit(resource.RLIMIT_DATA, 30 << 20), "any"),
}


# Verbs that are at work when a signal comes: what they do takes far longer than the test.
def slow_model(folder):
    data.dataset(folder)
    data.questions(folder, [{"question": f"{data.QUESTION} {i}"} for i in range(50)])
    server = network.serve(lambda connection, request: time.sleep(0.4) or network.completion("SELECT 1")(connection, request))
    data.experiment(folder, "[limits]\nconcurrency = 2", model=network.model(server))
    return Plan(["run", "exp.toml"], 0, "run", after=server.close, checks=[paid])


def no_answer(folder):
    data.dataset(folder)
    server = network.serve(network.silent)
    data.experiment(folder, model=network.model(server))
    return Plan(["run", "exp.toml"], 0, "run", after=server.close)


def told_to_wait(folder):
    data.dataset(folder)
    server = network.serve(network.reply("{}", "429 Wait", headers=["Retry-After: 30"]))
    data.experiment(folder, model=network.model(server))
    return Plan(["run", "exp.toml"], 0, "run", after=server.close)


def judging(verb, sql):
    def make(folder):
        data.dataset(folder, sql if verb == "check-gold" else None)
        data.prediction(folder, sql)
        args = {"eval": ["eval", *SPIDER, "--pred", "pred.jsonl"], "import": ["import", "--name", "x", *SPIDER, "--pred", "pred.jsonl"], "check-gold": ["check-gold", *SPIDER]}
        return Plan(args[verb], 0, verb)
    return make


def running(folder):
    data.dataset(folder)
    server = network.serve(network.completion("```sql\nSELECT " + SLOW + "\n```"))
    data.experiment(folder, arm='method = "standard"\nfixer.tries = 1', model=network.model(server))
    return Plan(["run", "exp.toml"], 0, "run", after=server.close)


def at_database(verb, sql):
    def make(folder):
        data.dataset(folder)
        args = {"tool": ["tool", "--db", "data/database/shop/shop.sqlite", "ExecuteSQL", sql], "explain": ["explain", "--db", "data/database/shop/shop.sqlite", sql]}
        return Plan(args[verb], 0, verb)
    return make


def checking(folder):
    data.dataset(folder)
    data.demonstration(folder, "SELECT " + SLOW)
    return Plan(["demos", "check", "demos.toml", *SPIDER], 0, "run")


def making(folder):
    data.dataset(folder, "SELECT " + SLOW)
    return Plan(["demos", "make", *SPIDER, "--split", "dev", "--out", "given"], 0, "run")


def building(folder):
    data.dataset(folder, "SELECT name FROM t WHERE n > 3 ORDER BY id")
    return Plan(["suite", "build", *SPIDER, "--out", "out", "--tries", "100000", "--rows", "2000", "--neighbours", "50"], 0, "run")


def piped(*args):
    """A verb that reads standard input, which never ends."""
    def make(folder):
        data.dataset(folder)
        ours, theirs = os.pipe()
        return Plan(list(args), 0, "run", stdin=ours, after=lambda: (os.close(ours), os.close(theirs)))
    return make


def importing(folder):
    line = '{{"messages": [{{"role": "user", "content": "question {}"}}], "completion": "SELECT 1", "sample": 0}}\n'
    with open(folder / "in.jsonl", "w") as f:
        f.writelines(line.format(i) for i in range(400000))
    return Plan(["ledger", "import", "--foreign", "--provider", "openai", "--model", "m", "in.jsonl"], 0, "run")


def exporting(folder):
    plan = stored("ledger", "export", "given")(folder)
    os.mkfifo(folder / "given")
    return plan


def watching(folder):
    return stored("report", "exp", "--watch")(folder)


AT_WORK = {
    "run-slow-model": slow_model, "run-no-answer": no_answer, "run-told-to-wait": told_to_wait, "run-slow-sql": running, "eval": judging("eval", "SELECT " + SLOW), "eval-endless": judging("eval", SHAPES["endless-count"]), "eval-compiling": judging("eval", doubling(26)),
    "eval-parsing": judging("eval", SHAPES["is-chain"]), "import": judging("import", "SELECT " + SLOW), "check-gold": judging("check-gold", "SELECT " + SLOW), "tool": at_database("tool", "SELECT " + SLOW), "explain": at_database("explain", doubling(26)), "suite": building, "demos-check": checking, "demos-make": making,
    "ledger-import": importing, "ledger-export-pipe": exporting, "report-watch": watching,
}
SIGNALS = {"int": [signal.SIGINT], "term": [signal.SIGTERM], "hup": [signal.SIGHUP], "int-twice": [signal.SIGINT, signal.SIGINT], "kill": [signal.SIGKILL]}
FIRST = 0.8  # seconds after the start at which the signal comes
END = {"int-twice": 0.6}  # seconds that a verb may take after the first signal; 2 otherwise


def signalled(folder, make, name):
    plan = make(folder)
    plan.deadline, plan.want = FIRST + END.get(name, 2.0), "stopped"
    plan.signals = tuple((FIRST + 0.3 * i, s) for i, s in enumerate(SIGNALS[name]))
    plan.writes = (*plan.writes, "given")
    if name != "kill":
        plan.checks += [left_over, handled]
    return plan


def handled(done):
    """One signal is an end that the program makes itself, whichever of the three it is."""
    return [f"answer: ended by signal {-done.code} itself"] if done.code < 0 and len(done.plan.signals) == 1 else []


def paid(done):
    """After a stop the ledger has every answer that the server was asked for: they are paid."""
    if any(s == signal.SIGKILL for _, s in done.plan.signals) or len(done.plan.signals) > 1:
        return []
    asked, kept = done.plan.after.__self__.requests, network.export(done).count(b"\n") - 1
    return [f"answer: {asked} calls were made, and {max(kept, 0)} answers kept"] if kept < asked else []


def left_over(done):
    """No temporary file is left after a signal."""
    left = [p.name for p in done.folder.joinpath("tmp").rglob("*") if p.is_file()]
    return [f"answer: left {len(left)} temporary files"] if left else []


def cases():
    for name, parts in REFUSED.items():
        want = "any" if name in ALLOWED else "error"
        yield Case("configs", f"check-{name}", functools.partial(settings, parts=parts, args=["config", "check"], want=want))
    for name in ("sweep-product", "tables-outside", "method-imported", "address-password", "address-key", "samples-huge", "arms-many", "seeds-many"):
        for verb, args in {"run": ["run", "--quiet"], "show": ["config", "show"], "plan": ["plan"]}.items():
            yield Case("configs", f"{verb}-{name}", functools.partial(settings, parts=REFUSED[name], args=args, want="any" if name in ALLOWED or verb == "show" else "error"))
    for name, (env, limits, want) in LACKS.items():
        for verb, args in ORDINARY.items():
            yield Case("configs", f"{name}-{verb}", functools.partial(without, env=env, args=args, limits=limits, want=want))
    for name, make in AT_WORK.items():
        for sig in SIGNALS:
            yield Case("configs", f"signal-{name}-{sig}", functools.partial(signalled, make=make, name=sig))
