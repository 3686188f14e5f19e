"""A metric: F1 of the rows, whatever the order of rows and columns.

One line of JSON in, one line of JSON out. A row counts once for each time that it occurs; its cells are compared as a bag, so that
columns may stand in any order, and 1 and 1.0 are the same number. The score is 2 x common rows / (gold rows + predicted rows).
"""
import json
import sys
from collections import Counter


def cell(value):
    """A cell as a text that only equal cells share."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def bag(result):
    """The rows of a result, with the number of times that each occurs."""
    return Counter(tuple(sorted(map(cell, row))) for row in result["rows"])


def judge(case):
    gold, predicted = bag(case["gold_rows"]), bag(case["predicted_rows"])
    rows = gold.total() + predicted.total()
    if rows == 0:
        return {"score": 1, "why": "neither returns a row"}
    common = (gold & predicted).total()
    why = "" if 2 * common == rows else f"{common} rows in common, of {gold.total()} and {predicted.total()}"
    return {"score": 2 * common / rows, "why": why}


for line in sys.stdin:
    print(json.dumps(judge(json.loads(line))), flush=True)
