"""Hostile statements: as predictions and gold queries of eval, check-gold and import, in tool, explain and runs.

Every statement has one second, 30 s where the verb has no flag for it. What it answers is free; that it ends, in bounds,
and leaves every file alone is not.
"""
import contextlib, functools, json, subprocess

from . import data, network
from .functions import AGGREGATES, LONG, NOISE, ODD, SLOW, WINDOWS, calls
from .measure import SECRET, SLACK, Case, Plan, environment
from .shapes import FAR, PAIRS, REFUSED, SHAPES

SPIDER = ["--dataset", "spider", "--data", "data"]
TIMEOUT = 1.0


def evaluate(folder, sql, gold=None, deadline=TIMEOUT, metrics="ex,em", **plan):
    """eval of one prediction against one gold query."""
    data.dataset(folder, gold)
    data.prediction(folder, sql)
    return Plan(["eval", *SPIDER, "--pred", "pred.jsonl", "--timeout", f"{TIMEOUT:g}s", "--metrics", metrics, "--items", "out.csv"],
                deadline, **plan)


def as_gold(folder, sql):
    return evaluate(folder, "SELECT 1", gold=sql)


def check_gold(folder, sql):
    data.dataset(folder, sql)
    return Plan(["check-gold", *SPIDER, "--timeout", f"{TIMEOUT:g}s", "--items", "out.csv"], TIMEOUT, "check-gold")


def demos(folder, sql, args):
    """A verb on demonstrations, whose SQL stands in a file of them and as the gold query of a question."""
    data.dataset(folder, sql)
    data.demonstration(folder, sql)
    plan = Plan(["demos", *args, *SPIDER, "--timeout", f"{TIMEOUT:g}s"], 5 * TIMEOUT, "import")
    plan.writes = (*plan.writes, "given")
    return plan


def recall(folder, sql):
    data.dataset(folder, sql)
    return Plan(["recall", *SPIDER, "--timeout", f"{TIMEOUT:g}s"], 3 * TIMEOUT, "import")


def imported(folder, sql):
    data.dataset(folder)
    data.prediction(folder, sql)
    return Plan(["import", "--name", "x", *SPIDER, "--pred", "pred.jsonl", "--timeout", f"{TIMEOUT:g}s"], TIMEOUT, "import")


def tool(folder, sql, deadline=30.0, **plan):
    data.dataset(folder)
    return Plan(["tool", "--db", "data/database/shop/shop.sqlite", "--characters", "4000", "ExecuteSQL", sql], deadline, "tool", **plan)


def explain(folder, sql, deadline=30.0, **plan):
    data.dataset(folder)
    return Plan(["explain", "--db", "data/database/shop/shop.sqlite", sql], deadline, "explain", **plan)


def answered(folder, sql, arm="", deadline=3 * TIMEOUT):
    """A run whose model answers with the statement."""
    data.dataset(folder)
    server = network.serve(network.completion("```sql\n" + sql + "\n```"))
    data.experiment(folder, top=f'timeout = "{TIMEOUT:g}s"', arm='method = "standard"\n' + arm, model=network.model(server))
    return Plan(["run", "exp.toml", "--quiet"], deadline, "run", after=server.close)


def again(folder, sql):
    """The same run, after one that was killed: the ledger has the statement, and the model is gone."""
    plan = answered(folder, sql)
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run([data.binary, *plan.args], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=5.0, env=environment(plan, folder))
    plan.after()
    plan.args.append("--offline")
    return plan


def many(folder, names, timeout=0.1):
    """Forty hostile predictions in one process, one after the other: each is stopped, and nothing adds up."""
    data.dataset(folder)
    data.questions(folder, [{"question": f"{data.QUESTION} {i}"} for i in range(40)])
    lines = [json.dumps({"id": str(i), "candidates": [{"sql": SOME[names[i % len(names)]].replace("SELECT", f"SELECT/*{i}*/", 1)}]}) for i in range(40)]
    (folder / "pred.jsonl").write_text("\n".join(lines))
    return Plan(["eval", *SPIDER, "--pred", "pred.jsonl", "--timeout", f"{timeout:g}s", "--items", "out.csv", "--workers", "1"], 40 * (timeout + SLACK))


def harmless():
    """A case for each verb that does nothing, for its start-up."""
    return {"eval": Case("start", "eval", lambda f: evaluate(f, "SELECT 1", deadline=30)),
            "check-gold": Case("start", "check-gold", lambda f: check_gold(f, "SELECT 1")),
            "import": Case("start", "import", lambda f: imported(f, "SELECT 1")),
            "tool": Case("start", "tool", lambda f: tool(f, "SELECT 1")),
            "explain": Case("start", "explain", lambda f: explain(f, "SELECT 1")),
            "run": Case("start", "run", lambda f: answered(f, "SELECT 1", deadline=30))}


def statements():
    """(name, statement): all that is tried as a prediction."""
    for name, call in calls():
        yield f"call-{name}", f"SELECT length({call})"
    for name, call in SLOW.items():
        yield f"slow-{name}", f"SELECT {call}"
    for name, arity in AGGREGATES.items():
        yield f"aggregate-{name}", f"SELECT length({name}({','.join([LONG, ODD][:arity])})) FROM t, u"
    for name, arity in WINDOWS.items():
        args = ",".join(["t.name||" + NOISE, "3" if name in ("lag", "lead", "nth_value") else ODD, LONG][:arity])
        over = "OVER (ORDER BY t.n ROWS BETWEEN 900 PRECEDING AND 900 FOLLOWING)"
        yield f"window-{name}", f"SELECT length({name}({args}) {over}) FROM t, u"
    yield from in_places()
    yield from SHAPES.items()


def in_places():
    """Slow calls in every place of a statement where an expression stands: some are computed when it is compiled."""
    for name in ("ltrim", "unhex", "like-zeroes", "json_patch"):
        e = SLOW[name]
        yield from ((f"place-{place}-{name}", text.format(e=e)) for place, text in PLACES.items())


PLACES = {
    "where": "SELECT 1 FROM t WHERE {e} > id", "order": "SELECT id FROM t ORDER BY {e}+id", "group": "SELECT 1 FROM t GROUP BY {e}+id",
    "having": "SELECT n FROM t GROUP BY n HAVING {e} > n", "on": "SELECT 1 FROM t JOIN u ON {e} > u.id", "limit": "SELECT 1 FROM t LIMIT {e}",
    "offset": "SELECT 1 FROM t LIMIT 1 OFFSET {e}", "values": "VALUES ({e})", "frame": "SELECT sum(id) OVER (ORDER BY id ROWS {e} PRECEDING) FROM t",
    "case": "SELECT CASE WHEN {e} THEN 1 ELSE 2 END", "in": "SELECT 1 WHERE 1 IN (SELECT {e})", "exists": "SELECT EXISTS (SELECT 1 FROM t WHERE {e} < id)",
    "cte": "WITH a AS MATERIALIZED (SELECT {e} AS x) SELECT * FROM a", "recursive": "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT {e} FROM a) SELECT x FROM a LIMIT 5",
    "union": "SELECT {e} UNION SELECT 1", "scalar": "SELECT (SELECT {e} FROM u WHERE u.id = t.id) FROM t", "json_each": "SELECT * FROM json_each('['||{e}||']')",
    "match": "SELECT * FROM f WHERE f MATCH ''||{e}", "filter": "SELECT count(*) FILTER (WHERE {e} > id) FROM t", "explain": "EXPLAIN SELECT {e}",
    "second": "SELECT 1; SELECT {e}", "never": "SELECT 1 WHERE 0 AND {e}",
}


def cases():
    for name, sql in statements():
        yield Case("sql", "eval-" + name, functools.partial(evaluate, sql=sql))
    for name, (sql, gold) in PAIRS.items():
        yield Case("sql", "pair-" + name, functools.partial(evaluate, sql=sql, gold=gold, deadline=2 * TIMEOUT))
    for name, sql in REFUSED.items():
        first = name.startswith("two")  # the first statement alone counts; that the second one did not run is in the digest
        yield Case("sql", "refused-" + name, functools.partial(evaluate, sql=sql, status="" if first else "rejected|sql-error|no-sql"))
        yield Case("sql", "refused-tool-" + name, functools.partial(refused_by_tool, sql=sql))
    for verb, make, names in ELSEWHERE:
        for name in names:
            yield Case("sql", f"{verb}-{name}", functools.partial(make, sql=SOME[name]))
    for metric in METRICS:
        for name in ("ltrim", "rows"):
            yield Case("sql", f"metric-{metric}-{name}", functools.partial(by_metric, sql=SOME[name], metric=metric))
    for name, sqls in MANY.items():
        yield Case("sql", f"many-{name}", functools.partial(many, names=sqls))
    for name, sql in FAR.items():
        yield Case("sql", f"far-{name}", functools.partial(tool, sql=sql))


def refused_by_tool(folder, sql):
    (folder / "data.secret").write_text(SECRET)
    return tool(folder, sql.replace("\0", ""), deadline=2)


def by_metric(folder, sql, metric):
    return evaluate(folder, sql, metrics=metric, deadline=2 * TIMEOUT)


METRICS = ["ts", "ex-bird", "soft-f1", "ex-spider18", "ves", "r-ves", "ex-keep-distinct", "ts-keep-distinct", "ex-plug-value",
           "ts-plug-value", "ex-strict", "ts-strict"]
SOME = {name: f"SELECT {call}" for name, call in SLOW.items()} | SHAPES | {
    "endless": "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c) SELECT count(*) FROM c",
    "rows": "SELECT a.name, b.name FROM t a, t b",
    "wide-rows": f"SELECT {NOISE}, a.id FROM t a",
}
STOPPED = ["ltrim", "rtrim", "unhex", "instr", "replace", "like-zeroes", "glob", "json_patch", "json_pretty", "endless", "rows",
           "wide-rows", "cte-doubling-18", "cte-doubling-26", "case-40000", "brackets-5000000", "literal-10-mb", "alias-doubling-24"]
MANY = {"ltrim": ["ltrim"], "compiling": ["cte-doubling-26"], "endless": ["endless"], "rows": ["rows"], "wide-rows": ["wide-rows"], "pretty": ["json_pretty"], "every": STOPPED}
ELSEWHERE = [
    ("gold", as_gold, STOPPED), ("check-gold", check_gold, STOPPED), ("import", imported, STOPPED), ("recall", recall, STOPPED),
    ("demos-make", functools.partial(demos, args=["make", "--split", "dev", "--what", "steps,cot,division,plan,dialogue", "--out", "given"]), STOPPED),
    ("demos-check", functools.partial(demos, args=["check", "demos.toml"]), STOPPED),
    ("run", answered, STOPPED), ("run-again", again, STOPPED),
    ("fix", functools.partial(answered, arm="fixer.tries = 1", deadline=5 * TIMEOUT), STOPPED[:6]),
    ("vote", functools.partial(answered, arm='selection.rule = "consistency-dail"\nmodel.samples = 2', deadline=5 * TIMEOUT), STOPPED[:6]),
    ("tool", tool, ["ltrim", "endless", "rows", "wide-rows", "json_pretty", "like-zeroes"]),
    ("explain", explain, ["ltrim", "cte-doubling-18", "cte-doubling-26", "alias-doubling-24", "case-wide", "joins-30"]),
]
