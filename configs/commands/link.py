"""Two calls with Python's standard library alone: the columns that a question needs, then the SQL over those.

assay starts this program, writes one line of JSON per question to its standard input, and reads one line of JSON from its
standard output. Both calls go to the address that came with the question, so that assay records, prices and replays them.
Messages for people go to standard error. Calls: 2 a sample.
"""

import json
import sys
import urllib.error
import urllib.request

LINK = """You find the part of a database that a question is about. You are given the tables of a database and a question.
Name every column that a query for the question would return, compare, group or sort by.
Reply with one JSON object that lists columns by table, spelt as the tables are given, and with nothing else:
{"<table>": ["<column>", "<column>"]}"""

WRITE = """You turn questions about a database into SQLite queries. You are given the tables that the question seems to need.
Reply with one SQLite query that answers the question, and with nothing else: no explanation, no code fence."""


def ask(item, stage, system, user):
    """Asks the model of the arm, as any client of OpenAI's API would. The stage is how assay names the call."""
    body = {"model": item["model"], "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}]}
    request = urllib.request.Request(
        item["base_url"] + "/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + item["api_key"], "X-Assay-Stage": stage},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def prompt(item, tables):
    """Tables as CREATE TABLE statements, and the question after them."""
    parts = []
    for t in tables:
        lines = [f"  {c['name']} {c['type']}".rstrip() for c in t["columns"]]
        if t["primary_key"]:
            lines.append("  PRIMARY KEY (" + ", ".join(t["primary_key"]) + ")")
        lines += [f"  FOREIGN KEY ({k['column']}) REFERENCES {k['ref_table']}({k['ref_column']})" for k in t["foreign_keys"]]
        parts.append(f"CREATE TABLE {t['name']} (\n" + ",\n".join(lines) + "\n)\n")
    facts = f"-- External Knowledge: {item['evidence']}\n" if item["evidence"] else ""
    return "\n".join(parts) + f"\n{facts}-- Using valid SQLite, answer the question below for the tables given above.\n-- {item['question']}"


def linked(item, text):
    """The tables cut down to the columns that the model named, with the keys that join them; all of them if it named none."""
    try:
        named = json.loads(text[text.index("{") : text.rindex("}") + 1])
        wanted = {(t.lower(), c.lower()) for t, columns in named.items() for c in columns}
    except (ValueError, AttributeError, TypeError):
        wanted = set()
    kept = {t for t, _ in wanted}
    out = []
    for t in item["tables"]:
        if t["name"].lower() not in kept:
            continue
        joins = [k for k in t["foreign_keys"] if k["ref_table"].lower() in kept]
        keys = {c.lower() for c in t["primary_key"]} | {k["column"].lower() for k in joins}
        columns = [c for c in t["columns"] if (t["name"].lower(), c["name"].lower()) in wanted or c["name"].lower() in keys]
        out.append({**t, "columns": columns, "foreign_keys": joins})
    return out or item["tables"]


def answer(item):
    tables = linked(item, ask(item, "link", LINK, prompt(item, item["tables"])))
    sql = ask(item, "write", WRITE, prompt(item, tables))
    note = f"{len(tables)} of {len(item['tables'])} tables"
    return {"id": item["id"], "candidates": [sql], "note": note}


for line in sys.stdin:
    item = json.loads(line)
    try:
        out = answer(item)
    except urllib.error.HTTPError as e:  # the model gave no answer; assay has asked it again already
        out = {"id": item["id"], "error": f"{e.code}: {e.read().decode(errors='replace')[:300]}"}
    print(json.dumps(out), flush=True)
