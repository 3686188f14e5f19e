"""Statements whose shape is hostile: endless, exponential, deep, long, wide, not text; and those that must be refused."""
from .functions import ARRAY, DEEP, LONG, NOISE, OBJECT, ODD

COUNT = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c)"


def doubling(levels, body="SELECT x FROM {p} UNION ALL SELECT x FROM {p}", first="SELECT 1 AS x", last="SELECT count(*) FROM {p}"):
    """Common tables, each of which reads the one before it twice."""
    parts = [f"a0 AS ({first})"] + [f"a{i} AS ({body.format(p=f'a{i - 1}')})" for i in range(1, levels + 1)]
    return f"WITH {', '.join(parts)} {last.format(p=f'a{levels}')}"


def nested(levels, inner, around):
    """A query inside a query, levels times."""
    for _ in range(levels):
        inner = around.format(q=inner)
    return inner


def views(levels):
    return nested(levels, "SELECT 1 AS x", "SELECT p.x + p.x + p.x AS x FROM ({q}) p")


def endless():
    return {
        "endless-count": f"{COUNT} SELECT count(*) FROM c",
        "endless-rows": f"{COUNT} SELECT i FROM c",
        "endless-union": "WITH RECURSIVE c(i) AS (SELECT 1 UNION SELECT (i*7+3)%99999999 FROM c) SELECT count(*) FROM c",
        "endless-order": "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c ORDER BY 1 DESC) SELECT sum(i) FROM c",
        "endless-big-queue": f"WITH RECURSIVE c(i,x) AS (SELECT 1,{NOISE} UNION ALL SELECT i+1,x FROM c,t ORDER BY 1) SELECT count(*) FROM c",
        "endless-text": "WITH RECURSIVE c(s) AS (SELECT 'a' UNION ALL SELECT s||'a' FROM c) SELECT max(length(s)) FROM c",
        "endless-double": "WITH RECURSIVE c(s) AS (SELECT 'a' UNION ALL SELECT s||s FROM c) SELECT s FROM c",
        "endless-tree": "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT 2*i FROM c UNION ALL SELECT 2*i+1 FROM c) SELECT count(*) FROM c",
        "endless-correlated": "SELECT (SELECT count(*) FROM t a, t b, t c WHERE a.id+b.id+c.id > t.id) FROM t",
        "endless-no-rows": f"{COUNT} SELECT i FROM c WHERE i < 0",
        "endless-limit": f"{COUNT} SELECT i FROM c LIMIT -1",
        "endless-sorted": f"{COUNT} SELECT i FROM c ORDER BY -i",
        "endless-window": f"{COUNT} SELECT sum(i) OVER () FROM c",
        "endless-concat": f"{COUNT} SELECT group_concat(i) FROM c",
        "endless-json": f"{COUNT} SELECT json_group_array(i) FROM c",
        "endless-distinct": f"{COUNT} SELECT DISTINCT i FROM c",
        "endless-in": f"SELECT 1 IN ({COUNT} SELECT -i FROM c)",
        "endless-exists": f"SELECT EXISTS ({COUNT} SELECT i FROM c WHERE i < 0)",
        "cross-4": "SELECT count(*) FROM t a, t b, t c, t d",
        "cross-views": "SELECT count(*) FROM w a, w b, w c",
        "cross-rows": "SELECT * FROM t a, t b, u c",
        "cross-sorted": "SELECT * FROM t a, t b, t c ORDER BY random()",
        "cross-grouped": "SELECT a.name||b.name||c.name, count(*) FROM t a, t b, t c GROUP BY 1",
        "cross-distinct": "SELECT DISTINCT a.name||b.name||c.name FROM t a, t b, t c",
        "cross-except": "SELECT a.id*1000000+b.id*1000+c.id FROM t a,t b,t c EXCEPT SELECT a.id FROM t a,t b,t c",
    }


def large():
    return {
        "sort-400-kb": f"SELECT id FROM t ORDER BY substr({NOISE},1,400000)||id",
        "sort-many": f"SELECT a.id FROM t a, t b ORDER BY substr({NOISE},1,4000)||a.id",
        "distinct-huge": f"SELECT DISTINCT {NOISE} FROM t, u",
        "group-huge": f"SELECT count(*) FROM t, u GROUP BY {NOISE}",
        "union-huge": f"SELECT {NOISE} FROM t UNION SELECT {NOISE} FROM u UNION SELECT {NOISE} FROM t, u",
        "except-huge": f"SELECT {NOISE} FROM t EXCEPT SELECT {NOISE} FROM u",
        "rows-of-1-mb": f"SELECT {LONG} FROM t, u",
        "rows-of-blobs": "SELECT randomblob(900000), zeroblob(900000) FROM t, u",
        "rows-of-empty": "SELECT '' FROM t a, t b",
        "rows-of-null": "SELECT NULL FROM t a, t b, t c",
        "rows-2000-wide": "SELECT " + ",".join(["name"] * 2000) + " FROM t, u",
        "rows-2000-long": f"SELECT {','.join(['hex(zeroblob(400))'] * 2000)} FROM t",
        "rows-not-utf-8": "SELECT CAST(randomblob(900000) AS TEXT) FROM t",
        "materialized": f"WITH a AS MATERIALIZED (SELECT {NOISE} AS x FROM t, u) SELECT count(*) FROM a b, a c",
        "window-huge": f"SELECT max({NOISE}) OVER (ORDER BY a.id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t a, t b",
        "lag-huge": f"SELECT lag({NOISE}, 500) OVER (ORDER BY id) FROM t",
        "array-huge": f"SELECT json_group_array({NOISE}) FROM t",
        "concat-huge": f"SELECT group_concat({NOISE}, {LONG}) FROM t",
        "in-memory-index": f"SELECT count(*) FROM (SELECT {NOISE} AS x FROM t, u) a JOIN (SELECT {NOISE} AS x FROM t, u) b ON a.x = b.x",
        "json_each-huge": f"SELECT count(*) FROM json_each({ARRAY}) a, json_each({ARRAY}) b",
        "json_tree-huge": f"SELECT max(length(fullkey)), sum(length(path)) FROM json_tree({OBJECT}), t",
        "json_tree-deep": f"SELECT length(fullkey), path, json FROM json_tree({DEEP}), t",
        "json_tree-path": f"SELECT * FROM json_tree({ARRAY}, '$')",
        "fts-prefix": "SELECT * FROM f WHERE f MATCH 'w* OR w* OR w* NOT a*'",
        "fts-near": "SELECT * FROM f WHERE f MATCH 'NEAR(word1 and, 1000000)'",
        "fts-deep": "SELECT * FROM f WHERE f MATCH replace(hex(zeroblob(200000)),'0','(')",
        "fts-many": "SELECT * FROM f WHERE f MATCH replace(hex(zeroblob(60000)),'00','a OR ')||'a'",
        "fts-highlight": f"SELECT highlight(f, 0, {LONG}, {LONG}) FROM f WHERE f MATCH 'and'",
        "fts-snippet": f"SELECT snippet(f, 0, {LONG}, {ODD}, {LONG}, 64) FROM f WHERE f MATCH 'and'",
        "fts-rank": "SELECT bm25(f, 1e308) FROM f a WHERE f MATCH 'and' ORDER BY rank LIMIT 1",
        "fts-tokenize": f"SELECT count(*) FROM fts3tokenize('simple', {ODD}), t",
        "fts-data": "SELECT length(block) FROM f_data, t, u",
        "rtree-cross": "SELECT count(*) FROM r a, r b, r c, r d WHERE a.a < b.b AND c.a < d.b",
    }


def exponential():
    """What grows while it is compiled."""
    out = {f"cte-doubling-{n}": doubling(n) for n in range(10, 41, 2)}
    out |= {f"cte-joins-{n}": doubling(n, "SELECT p.x FROM {p} p, {p} q") for n in (6, 10, 14, 18, 24)}
    out |= {f"cte-scalars-{n}": doubling(n, "SELECT (SELECT x FROM {p}) + (SELECT x FROM {p}) AS x") for n in (12, 18, 24, 30)}
    out |= {f"cte-in-{n}": doubling(n, "SELECT x FROM {p} WHERE x IN (SELECT x FROM {p})") for n in (12, 18, 24)}
    out |= {f"alias-doubling-{n}": nested(n, "SELECT id AS x FROM t", "SELECT x+x AS x FROM ({q})") for n in (8, 12, 16, 20, 24, 28)}
    out |= {f"alias-tripling-{n}": views(n) for n in (8, 12, 16)}
    out |= {f"union-flatten-{n}": "SELECT count(*) FROM " + ",".join(["(SELECT 1 AS x UNION ALL SELECT 2)"] * n) for n in (8, 12, 16, 24)}
    out["join-of-unions"] = "SELECT * FROM " + " LEFT JOIN ".join(f"(SELECT id FROM t UNION ALL SELECT id FROM u) a{i}" for i in range(14))
    out |= {f"joins-{n}": "SELECT 1 FROM " + ",".join(f"t a{i}" for i in range(n)) + " WHERE " +
            " AND ".join(f"a{i}.n = a{(i * 7 + 1) % n}.n" for i in range(n)) for n in (20, 30, 64, 65)}
    out["natural-joins-60"] = "SELECT * FROM t" + " NATURAL JOIN t" * 60
    out["or-terms"] = "SELECT 1 FROM t a, t b, u c WHERE " + " OR ".join(f"(a.id={i} AND b.n={i} AND c.t_id={i})" for i in range(900))
    out["aggregates-2000"] = "SELECT " + ",".join(f"sum(n+{i})" for i in range(2000)) + " FROM t"
    out["windows-1000"] = "SELECT " + ",".join(f"sum(n) OVER (ORDER BY n+{i})" for i in range(1000)) + " FROM t"
    out["window-chain"] = "SELECT sum(n) OVER w400 FROM t WINDOW w0 AS (PARTITION BY n), " + ",".join(f"w{i} AS (w{i - 1})" for i in range(1, 401))
    out["group-terms-2000"] = "SELECT 1 FROM t GROUP BY " + ",".join(f"n+{i}" for i in range(2000)) + " ORDER BY " + ",".join(f"n+{i}" for i in range(2000))
    return out


def long_():
    """What is long or deep to read."""
    mb = 1 << 20
    return {
        "case-40000": "SELECT CASE n " + " ".join(f"WHEN {i} THEN {i}" for i in range(40000)) + " END FROM t",
        "case-wide": "SELECT CASE " + " ".join(f"WHEN n={i} THEN {i}" for i in range(2000)) + " END FROM t",
        "case-nested": "SELECT " + nested(300, "1", "CASE WHEN n THEN {q} ELSE 2 END") + " FROM t",
        "in-100000": "SELECT 1 FROM t WHERE id IN (" + ",".join(map(str, range(100000))) + ")",
        "in-texts": "SELECT 1 FROM t WHERE name IN (" + ",".join(f"'x{i}'" for i in range(50000)) + ")",
        "not-in-nested": nested(60, "SELECT 1", "SELECT id FROM t WHERE id NOT IN ({q})"),
        "columns-2000": "SELECT " + ",".join(f"n+{i} AS c{i}" for i in range(2000)) + " FROM t",
        "columns-40000": "SELECT " + ",".join(["1"] * 40000),
        "brackets-1000": "SELECT " + "(" * 1000 + "1" + ")" * 1000,
        "brackets-100000": "SELECT " + "(" * 100000 + "1" + ")" * 100000,
        "brackets-5000000": "SELECT " + "(" * 5000000,
        "brackets-from": "SELECT 1 FROM " + "(" * 20000 + "t" + ")" * 20000,
        "brackets-queries": nested(400, "SELECT 1", "SELECT * FROM ({q})"),
        "brackets-scalars": nested(900, "SELECT 1", "SELECT ({q})"),
        "brackets-square": "SELECT " + "[" * 1000000,
        "calls-nested": "SELECT " + "abs(" * 900 + "1" + ")" * 900,
        "calls-nested-long": "SELECT " + "abs(" * 100000 + "1" + ")" * 100000,
        "not-chain": "SELECT " + "NOT " * 200000 + "1",
        "minus-chain": "SELECT " + "- " * 300000 + "1",
        "tilde-chain": "SELECT " + "~" * 900000 + "1",
        "and-chain": "SELECT 1 WHERE " + " AND ".join(["1"] * 100000),
        "or-chain": "SELECT 1 FROM t WHERE " + " OR ".join(f"id={i}" for i in range(50000)),
        "plus-chain": "SELECT " + "+".join(["1"] * 200000),
        "concat-chain": "SELECT " + "||".join(["'a'"] * 100000),
        "arrow-chain": "SELECT '{}'" + "->'a'" * 50000,
        "collate-chain": "SELECT 'a'" + " COLLATE NOCASE" * 50000,
        "is-chain": "SELECT 1" + " IS NOT DISTINCT FROM 1" * 30000,
        "between-chain": "SELECT 1" + " BETWEEN 0 AND 1" * 30000,
        "union-chain-500": " UNION ".join(["SELECT 1"] * 500),
        "union-chain-20000": " UNION ALL ".join(["SELECT 1"] * 20000),
        "intersect-chain": " INTERSECT ".join(["SELECT id FROM t"] * 400),
        "values-100000": "VALUES " + ",".join(f"({i})" for i in range(100000)),
        "values-wide": "VALUES (" + ",".join(["1"] * 2000) + ")" + (",(" + ",".join(["1"] * 2000) + ")") * 100,
        "joins-comma-5000": "SELECT 1 FROM " + ",".join(["t"] * 5000),
        "joins-deep": "SELECT 1 FROM " + nested(60, "t", "({q} JOIN t)"),
        "with-nested": nested(200, "SELECT 1", "WITH a AS ({q}) SELECT * FROM a"),
        "with-2000": "WITH " + ",".join(f"a{i} AS (SELECT {i})" for i in range(2000)) + " SELECT * FROM a1999",
        "literal-1-mb": "SELECT '" + "x" * mb + "'",
        "literal-10-mb": "SELECT '" + "x" * 10 * mb + "'",
        "literal-blob": "SELECT x'" + "00" * mb + "'",
        "literal-quotes": "SELECT '" + "''" * mb + "'",
        "literal-open": "SELECT '" + "x" * mb,
        "number-long": "SELECT " + "9" * mb + ", 1e" + "9" * 100000 + ", 0x" + "f" * 100000,
        "name-long": 'SELECT 1 AS "' + "n" * mb + '"',
        "name-parts": "SELECT " + ".".join(["a"] * 100000),
        "comments-10-mb": "SELECT " + "/*x*/" * (2 * mb) + " 1",
        "comments-nested": "SELECT " + "/*" * 100000 + "1" + "*/" * 100000,
        "comments-lines": "--x\n" * mb + "SELECT 1",
        "comment-open": "SELECT 1 /*" + "*" * mb,
        "spaces-10-mb": "SELECT" + " " * 10 * mb + "1",
        "semicolons": "SELECT 1" + ";" * mb,
        "commas": "SELECT " + "," * mb,
        "words": "SELECT " * 200000,
        "sql-10-mb": "SELECT " + ",".join(["'" + "y" * 1000 + "'"] * 10000),
        "parameters": "SELECT " + ",".join("?" * 30000),
        "parameter-far": "SELECT ?32766, ?999999999, :a, @b, $c::d(" + "e" * 100000 + ")",
        "order-terms": "SELECT * FROM t ORDER BY " + ",".join(["1"] * 3000),
        "row-values": "SELECT 1 FROM t WHERE (" + ",".join(["id"] * 1999) + ") > (" + ",".join(["n"] * 1999) + ")",
    }


def not_text():
    """Bytes that are not text, and characters that deceive."""
    return {
        "nul": "SELECT 1 \0 FROM t", "nul-first": "\0SELECT 1", "nul-in-literal": "SELECT 'a\0b', length('\0')",
        "nul-then-write": "SELECT 1;\0DROP TABLE t", "not-utf-8": b"SELECT '\xff\xfe\x80', \xc3\x28 FROM t",
        "surrogates": b"SELECT '\xed\xa0\x80\xed\xbf\xbf'", "overlong": b"SELECT '\xc0\xaf\xe0\x80\xaf'",
        "byte-order-mark": "\ufeffSELECT 1", "utf-16": "SELECT 1".encode("utf-16").decode("latin-1"), "full-width": "ＳＥＬＥＣＴ １",
        "bidi": "SELECT 1 \u202e /* \u2066 */ FROM t", "escapes": "SELECT '\x1b]52;c;aGk=\x07' AS \"\x1b[2J\"", "backspaces": "SELECT 1\b\b\bDROP",
        "no-break-spaces": "SELECT\u00a01\u00a0FROM\u00a0t", "zero-width": "SEL\u200bECT 1", "quotes-of-word": "SELECT “name” FROM t",
        "empty": "", "spaces": "   \n\t ", "only-comment": "-- nothing", "only-semicolons": ";;;;", "markup": "<script>alert(1)</script>",
        "form-feeds": "SELECT\f1\v\f", "carriage-returns": "SELECT 1\rFROM t\r\n--\r DROP TABLE t",
    }


SHAPES = endless() | large() | exponential() | long_() | not_text()

# Statements that write, leave the database or change the connection: none may run.
REFUSED = {
    "attach": "ATTACH 'data.secret' AS x", "attach-memory": "ATTACH ':memory:' AS x", "attach-new": "ATTACH 'data/new.sqlite' AS x",
    "attach-uri": "ATTACH 'file:data/new.sqlite?mode=rwc' AS x", "detach": "DETACH main", "vacuum": "VACUUM", "vacuum-into": "VACUUM INTO 'data/copy.sqlite'",
    "load": "SELECT load_extension('./evil')", "tokenizer": "SELECT fts3_tokenizer('simple')", "tokenizer-set": "SELECT fts3_tokenizer('x', x'4141414141414141')",
    "readfile": "SELECT readfile('data.secret')", "writefile": "SELECT writefile('data/new', 'x')", "edit": "SELECT edit('x')", "insert": "INSERT INTO t VALUES (0, 'x', 1)",
    "returning": "UPDATE t SET n = 1 RETURNING *", "with-delete": "WITH a AS (SELECT 1) DELETE FROM t", "with-insert": "WITH a AS (SELECT 1) INSERT INTO t SELECT 5000, 'x', 1",
    "replace-into": "REPLACE INTO t VALUES (1, 'x', 1)", "drop": "DROP TABLE t", "create": "CREATE TABLE x(a)", "temp": "CREATE TEMP TABLE x AS SELECT 1",
    "temp-view": "CREATE TEMP VIEW x AS SELECT 1", "temp-trigger": "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END", "virtual": "CREATE VIRTUAL TABLE x USING fts5(a)",
    "alter": "ALTER TABLE t RENAME TO x", "reindex": "REINDEX", "analyze": "ANALYZE", "begin": "BEGIN EXCLUSIVE", "savepoint": "SAVEPOINT x", "commit": "COMMIT",
    "pragma-journal": "PRAGMA journal_mode = WAL", "pragma-schema": "PRAGMA writable_schema = 1", "pragma-query-only": "PRAGMA query_only = 0",
    "pragma-temp": "PRAGMA temp_store_directory = 'data'", "pragma-size": "PRAGMA mmap_size = 99999999999", "pragma-heap": "PRAGMA hard_heap_limit = 0",
    "pragma-user": "PRAGMA user_version = 5", "pragma-key": "PRAGMA key = 'x'", "pragma-function": "SELECT * FROM pragma_database_list",
    "pragma-check": "SELECT * FROM pragma_integrity_check", "pragma-optimize": "SELECT * FROM pragma_optimize", "pragma-wal": "SELECT * FROM pragma_wal_checkpoint",
    "two": "SELECT 1; DROP TABLE t", "two-comment": "SELECT 1; -- x\nDELETE FROM t", "explain-write": "EXPLAIN DROP TABLE t", "explain-attach": "EXPLAIN QUERY PLAN ATTACH 'x' AS y",
    "schema-write": "UPDATE sqlite_master SET sql = ''", "shadow-write": "DELETE FROM f_data", "fts-command": "INSERT INTO f(f) VALUES ('rebuild')",
    "dbpage": "SELECT * FROM sqlite_dbpage", "fsdir": "SELECT * FROM fsdir('.')", "csv": "SELECT * FROM csv('data.secret')", "dot": ".shell id",
}

# Pairs of a prediction and a gold query, whose comparison is hostile.
SAME = "SELECT " + ",".join("n AS c{}".format(i) for i in range(12)) + " FROM t"
PAIRS = {
    "permuted-columns": (SAME, SAME.replace("n AS c11", "7-n AS c11")),
    "permuted-30": ("SELECT " + ",".join(["n"] * 30) + " FROM t", "SELECT " + ",".join(["n"] * 29 + ["n+1"]) + " FROM t"),
    "permuted-2000": ("SELECT " + ",".join(["n"] * 2000) + " FROM t LIMIT 50", "SELECT " + ",".join(["n"] * 1999 + ["6-n"]) + " FROM t LIMIT 50"),
    "rows-100000": ("SELECT a.id FROM t a, t b LIMIT 100000", "SELECT b.id FROM t a, t b LIMIT 100000"),
    "rows-wide": ("SELECT " + ",".join(["a.name"] * 100) + " FROM t a, t b LIMIT 10000", "SELECT " + ",".join(["b.name"] * 100) + " FROM t a, t b LIMIT 10000"),
    "long-values": (f"SELECT {LONG}||id FROM t LIMIT 100", f"SELECT {LONG}||(id+1) FROM t LIMIT 100"),
    "two-endless": (SHAPES["endless-count"], SHAPES["endless-count"]),
    "two-slow": (SHAPES["cte-doubling-20"], SHAPES["cte-doubling-20"]),
    "numbers": ("SELECT 9e999, -9e999, 0x7fffffffffffffff, 1e-320 FROM t", "SELECT 9e999, -9e999, 9223372036854775807, 0 FROM t"),
    "conditions-500": ("SELECT 1 FROM t WHERE " + " OR ".join(f"n = {i}" for i in range(500)), "SELECT 1 FROM t WHERE " + " OR ".join(f"n = {500 - i}" for i in range(500))),
    "values-500": ("SELECT 1 FROM t WHERE n IN (" + ",".join(f"'v{i}'" for i in range(500)) + ")", "SELECT 1 FROM t WHERE n IN (" + ",".join(f"'w{i}'" for i in range(500)) + ")"),
    "joins-40": ("SELECT 1 FROM " + " JOIN ".join(f"t a{i}" for i in range(40)), "SELECT 1 FROM " + " JOIN ".join(f"t b{i}" for i in range(40))),
    "nested-90": (nested(90, "SELECT id FROM t", "SELECT id FROM t WHERE id IN ({q})"), nested(90, "SELECT id FROM t", "SELECT n FROM t WHERE n IN ({q})")),
}

# What another file holds, read through every door of a query that reads: none may tell it.
FAR = {
    "other-schema": "SELECT * FROM temp.sqlite_master, main.sqlite_master", "attached": "SELECT * FROM x.secret",
    "uri-name": "SELECT * FROM \"file:data.secret\".secret", "eponymous": "SELECT name FROM pragma_module_list",
    "fts-content": "SELECT * FROM f('x')", "shadow": "SELECT hex(block) FROM f_data", "options": "SELECT sqlite_compileoption_get(1)",
}
