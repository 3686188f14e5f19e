"""Hostile servers of batches and of vectors, and hostile files of answers and prices.

A batch costs money once it is sent: whatever the server answers, the key goes to no other host, nothing hangs or fills the memory,
and no text steers a terminal. A server of vectors may answer anything: a run without vectors ends with an error.
"""
import functools, json, os, signal, subprocess

from . import data, network
from .measure import KEY, Case, Plan, environment
from .network import CHUNKED, OK, PART, bombing, completion, late, raw, redirect, reply, silent
from .programs import no_raw

BAD = "../../x\x1b[2J\x9b\n"


def of(**more):
    return reply(json.dumps(more))


FILE, MADE = of(id="file-1"), of(id="batch-1", status="validating")


def status(**more):
    return of(**{"id": "batch-1", "status": "completed", "output_file_id": "file-2", **more})


def results(answer, status=status(), file=FILE, made=MADE):
    """An OpenAI server whose batch has the answer as its file."""
    def talk(connection, request):
        line = request.split(b"\r\n", 1)[0]
        if b"/content" in line:
            return answer(connection, request)
        if b"/files" in line:
            return file(connection, request)
        return (made if line.startswith(b"POST") else status)(connection, request)
    return talk


def elsewhere(seen):
    """A server that must get no request at all: one with the key is the worst."""
    return network.serve(lambda connection, request: seen.append(request) and False)


def openai():
    line = json.dumps({"custom_id": BAD, "response": {"status_code": 200, "body": {}}, "error": BAD}).encode() + b"\n"
    return {
        "results-endless": results(raw(OK + b"\r\n", forever=b" " * PART)), "results-endless-line": results(raw(CHUNKED, forever=b"100000\r\n" + b"x" * PART + b"\r\n")), "results-endless-lines": results(raw(OK + b"\r\n", forever=line * 5000)),
        "results-bomb": results(bombing(lambda: network.bomb(2000))), "results-silent": results(silent), "results-deep": results(late(lambda: reply("[" * 3000000 + "\n"))), "results-strange": results(reply(line * 3)), "results-not": results(reply("<html>\x1b[2J" * 1000, kind="text/html")),
        "results-redirect": results(redirect("http://127.0.0.2:1/x")), "id-path": results(reply(line), file=of(id="../../admin"), made=of(id="../../x?y#z\x1b[2J")), "id-huge": results(reply(line), made=of(id="x" * 3000000)), "id-number": results(reply(line), made=of(id=17)),
        "file-id-path": results(reply(line), status=status(output_file_id="../../../x?y")), "file-id-address": results(reply(line), status=status(output_file_id="http://127.0.0.2:1/")), "status-strange": results(reply(line), status=status(status=BAD, errors={"data": [{"code": BAD, "message": BAD * 10000}]})),
        "status-endless": results(reply(line), status=raw(OK + b"\r\n", forever=b" " * PART)), "status-deep": results(reply(line), status=late(lambda: reply('{"a":' * 1000000))), "counts-huge": results(reply(line), status=status(request_counts={"total": 9e18, "completed": -9e18})), "upload-endless": results(reply(line), file=raw(OK + b"\r\n", forever=b" " * PART)),
        "upload-early": results(reply(line), file=reply("{}", "413 Large", headers=["Connection: close"])),
    }


def anthropic():
    made = of(id="msgbatch_1", processing_status="in_progress", request_counts={})
    def talk(answer, **ended):
        done = of(**{"id": "msgbatch_1", "processing_status": "ended", "request_counts": {"succeeded": 1}, **ended})
        def speak(connection, request):
            line = request.split(b"\r\n", 1)[0]
            return (answer if b"/results" in line else made if line.startswith(b"POST") else done)(connection, request)
        return speak
    line = json.dumps({"custom_id": BAD, "result": {"type": BAD}}) + "\n"
    return {"anthropic-results-endless": talk(raw(OK + b"\r\n", forever=b" " * PART)), "anthropic-results-bomb": talk(bombing(lambda: network.bomb(2000))), "anthropic-results-strange": talk(reply(line * 3)), "anthropic-results-redirect": talk(redirect("http://127.0.0.2:1/"))}, talk


def batch(folder, talk, provider="openai", endless=False):
    """Sends a batch, and collects it: the second start is what is measured. Files of answers are long, and calls for them may take
    half an hour: one that is endless is interrupted."""
    plan = network.run_against(folder, talk, provider=provider)
    plan.args = ["run", "exp.toml", "--batch"]
    plan.checks.append(no_raw)
    subprocess.run([data.binary, *plan.args], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, env=environment(plan, folder))
    if endless:
        plan.signals, plan.deadline, plan.want = ((1.5, signal.SIGINT),), 3.5, "stopped"
    return plan


def away(folder):
    """The address of the results is on another host, which must not be asked."""
    seen = []
    other = elsewhere(seen)
    _, talk = anthropic()
    plan = batch(folder, talk(reply("{}\n"), results_url=other.url + "/results"), "anthropic")
    plan.checks.append(lambda done: [f"scope: another host was asked, {'with' if KEY.encode() in seen[0] else 'without'} the key"] if seen else [])
    after = plan.after
    plan.after = lambda: (after(), other.close())
    return plan


def numbers(text):
    return reply('{"object":"list","model":"v","data":[{"object":"embedding","index":0,"embedding":' + text + '}],"usage":{"prompt_tokens":1,"total_tokens":1}}')


VECTORS = {
    "many": late(lambda: numbers("[" + "1," * 7000000 + "1]")), "too-large": late(lambda: numbers("[" + "1," * 10000000 + "1]")), "none": numbers("[]"), "not-a-number": numbers("[NaN, 1]"), "huge": numbers("[1e308, 1e308]"), "too-huge": numbers("[1e400, 1]"), "zero": numbers("[0, 0]"), "null": numbers("[null, 1]"),
    "text": numbers('"AACAPwAAgD8="'), "text-odd": numbers('"AAC\\u001b[2J"'), "deep": late(lambda: numbers("[" * 2000000)), "index": reply('{"data":[{"index":-1,"embedding":[1]},{"index":99999999999,"embedding":[1]}]}'), "few": reply('{"data":[]}'), "endless": raw(OK + b"\r\n", forever=b"1," * (PART // 2)), "bomb": bombing(lambda: network.bomb(2000)), "redirect": redirect("http://127.0.0.2:1/"),
}


def vectors(folder, answer):
    """A run whose demonstrations are chosen by vectors of the server."""
    def talk(connection, request):
        return (answer if b"/embeddings" in request.split(b"\r\n", 1)[0] else completion("SELECT 1"))(connection, request)
    plan = network.run_against(folder, talk)
    data.questions(folder, [{"question": "Which things have the name 'nam 5' or \"v 17\"?"}])
    exp = folder / "exp.toml"
    address = next(l for l in exp.read_text().splitlines() if l.startswith("base_url"))
    exp.write_text(exp.read_text().replace('[[arm]]', f'[embeddings]\nprovider = "openai"\nname = "v"\n{address}\nkey_env = "HOSTILE_KEY"\n[[arm]]', 1).replace('method = "standard"', 'method = "standard"\nvalues.use = true'))
    plan.deadline = 45.0  # each of 20 texts is asked for alone before the provider is given up
    plan.checks.append(no_raw)
    return plan


PRICES = {
    "not": "=cmd\x1b[2J", "deep": "a = " + "[" * 100000, "huge": "x" * 30000000, "negative": '[[price]]\nprovider = "openai"\nmodels = ["m"]\ninput = -1\noutput = 1\n', "infinite": '[[price]]\nprovider = "openai"\nmodels = ["m"]\ninput = inf\noutput = nan\n',
    "many": '[[price]]\nprovider = "openai"\nmodels = ["m"]\ninput = 1\noutput = 1\n' * 200000, "pipe": None,
}


def prices(folder, text):
    data.dataset(folder)
    data.experiment(folder)
    os.mkfifo(folder / "prices.toml") if text is None else (folder / "prices.toml").write_text(text)
    return Plan(["plan", "exp.toml", "--prices", "prices.toml"], 5.0, "run", want="error", checks=[no_raw])


ANSWERS = {
    "not": "\x1b[2J\n" * 1000, "deep": "[" * 3000000 + "\n", "long": "x" * 80000000, "lines": '{"custom_id": "a"}\n' * 500000, "names": json.dumps({"custom_id": BAD, "error": BAD}) + "\n", "numbers": '{"custom_id": 1e400}\n', "empty": "", "pipe": None,
}


def answers(folder, text):
    data.dataset(folder)
    data.experiment(folder, model='provider = "openai"\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\nkey_env = "HOSTILE_KEY"')
    os.mkfifo(folder / "answers.jsonl") if text is None else (folder / "answers.jsonl").write_text(text)
    return Plan(["batch", "import", "answers.jsonl"], 8.0, "run", checks=[no_raw])


def endless(name):
    return name.endswith(("results-endless", "results-endless-line", "results-endless-lines", "results-silent"))


def cases():
    for name, talk in openai().items():
        yield Case("batches", name, functools.partial(batch, talk=talk, endless=endless(name)))
    for name, talk in anthropic()[0].items():
        yield Case("batches", name, functools.partial(batch, talk=talk, provider="anthropic", endless=endless(name)))
    yield Case("batches", "anthropic-results-elsewhere", away)
    for name, answer in VECTORS.items():
        yield Case("batches", f"vectors-{name}", functools.partial(vectors, answer=answer))
    for name, text in PRICES.items():
        yield Case("batches", f"prices-{name}", functools.partial(prices, text=text))
    for name, text in ANSWERS.items():
        yield Case("batches", f"answers-{name}", functools.partial(answers, text=text))
