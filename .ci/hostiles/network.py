"""Hostile servers on the loopback address, as the provider of a run: bodies, headers, redirects, streams and echoes.

Every call has a deadline of 3 s and two attempts; a run ends with exit code 0 or 1, in 12 s at most, within the bound of
memory, and tells no key. A server is a thread of this script that speaks HTTP by hand, so that it can break every rule.
"""
import functools, gzip, json, socket, subprocess, threading, time

from . import data
from .measure import KEY, Case, Plan, environment

LONGEST = 12.0  # seconds that a run may take: two attempts of 3 s for a request, the waits between, and the stop


class Server:
    """Answers each connection by talk(connection, request), in a thread of its own."""

    def __init__(self, talk):
        self.talk, self.open, self.requests = talk, True, 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while self.open:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            connection.settimeout(20)
            try:
                while self.open and (request := read(connection)):
                    self.requests += request[:4] == b"POST"  # not the questions about the server's models
                    if not self.talk(connection, request):
                        return
            except OSError:
                return

    def close(self):
        self.open = False
        self.listener.close()


def read(connection):
    """One request with its body, as bytes; empty at the end of the connection."""
    got = b""
    while b"\r\n\r\n" not in got:
        part = connection.recv(65536)
        if not part:
            return b""
        got += part
    head, _, body = got.partition(b"\r\n\r\n")
    length = next((int(h.split(b":")[1]) for h in head.split(b"\r\n") if h.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        part = connection.recv(65536)
        if not part:
            break
        body += part
    return head + b"\r\n\r\n" + body


def serve(talk):
    return Server(talk)


def reply(body, status="200 OK", kind="application/json", headers=()):
    """A talk that answers with a whole body, and keeps the connection."""
    body = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    raw = "\r\n".join(head).encode("latin-1", "replace") + b"\r\n\r\n" + body

    def talk(connection, request):
        connection.sendall(raw)
        return True
    return talk


def message(text, finish="stop", model="m", **more):
    return json.dumps({"id": "x", "object": "chat.completion", "model": model, "choices": [
        {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}, **more})


def completion(text, **more):
    return reply(message(text, **more))


def model(server, name="m", **more):
    """The lines of [model] for a server."""
    keys = {"provider": "openai", "name": name, "base_url": server.url, "key_env": "HOSTILE_KEY", **more}
    return "\n".join(f"{k} = {json.dumps(v)}" for k, v in keys.items())


def raw(*parts, forever=b"", pause=0.0):
    """A talk that sends the parts, and then one again and again until the other side closes."""
    def talk(connection, request):
        for part in parts:
            connection.sendall(part)
        while forever:
            connection.sendall(forever)
            time.sleep(pause)
        return False
    return talk


def silent(connection, request):
    time.sleep(15)
    return False


def echo(status):
    """A server that repeats the request, the key in its header included."""
    def talk(connection, request):
        told = request.decode("utf-8", "replace")
        body = message(told) if status.startswith("200") else json.dumps({"error": {"message": told, "type": told}})
        return reply(body, status)(connection, request)
    return talk


def echo_header(connection, request):
    key = next((h for h in request.split(b"\r\n") if h.lower().startswith(b"authorization")), b"").decode()
    return reply(message("SELECT 1 -- " + key, finish=key, model=key, system_fingerprint=key))(connection, request)


def echo_hidden(connection, request):
    """The key in places that are read later: escaped, so that its bytes are not on the wire, and in the arguments of a tool."""
    key = next((h.split()[-1].decode() for h in request.split(b"\r\n") if h.lower().startswith(b"authorization")), "")
    escaped = "".join(f"\\u{ord(c):04x}" for c in key)
    body = message("SELECT 1 -- @").replace("@", escaped).replace('"role"', '"tool_calls": [{"id": "%s", "type": "function", "function": {"name": "f", "arguments": "%s"}}], "role"' % (key, key))
    return reply(body)(connection, request)


def redirect(to):
    return reply("", "302 Found", headers=[f"Location: {to}"])


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
PART = 1 << 20  # bytes sent at once, so that this script is no slower than a hostile server would be
CHUNK = b"100000\r\n" + b" " * PART + b"\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def bomb(megabytes):
    """A gzip body of spaces, one member a megabyte: a thousandth of its length on the wire."""
    return gzip.compress(b" " * (1 << 20)) * megabytes


def late(build):
    """A talk that is built when its case is, for answers that are large."""
    made = functools.cache(build)

    def talk(connection, request):
        return made()(connection, request)
    talk.made = made
    return talk


def bombing(body, status="200 OK"):
    return late(lambda: reply(body(), status, headers=["Content-Encoding: gzip"]))


def choices(n):
    return json.dumps({"choices": [{"index": i, "finish_reason": "stop", "message": {"content": "SELECT 1"}} for i in range(n)]})


def servers():
    """name: a talk, and whether the run ends well."""
    mb = 1 << 20
    return {
        "endless-body": raw(OK + b"\r\n", forever=b" " * PART),
        "endless-chunks": raw(CHUNKED, forever=CHUNK),
        "endless-text": raw(OK + b'\r\n{"choices":[{"message":{"content":"', forever=b"x" * PART),
        "endless-error-body": raw(b"HTTP/1.1 500 Oh\r\n\r\n", forever=b"x" * PART),
        "endless-429-body": raw(b"HTTP/1.1 429 Wait\r\n\r\n", forever=b"x" * PART),
        "endless-401-body": raw(b"HTTP/1.1 401 No\r\n\r\n", forever=b"x" * PART),
        "endless-stream": raw(STREAM, forever=b"data: " + b"x" * PART),
        "endless-events": raw(STREAM, forever=b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n' * 20000),
        "endless-headers": raw(b"HTTP/1.1 200 OK\r\n", forever=b"X-H: " + b"y" * 8000 + b"\r\n"),
        "endless-header": raw(b"HTTP/1.1 200 OK\r\nX-H: ", forever=b"y" * PART),
        "endless-status": raw(b"HTTP/1.1 200 ", forever=b"y" * PART),
        "endless-continue": raw(forever=b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
        "endless-chunk-extension": raw(CHUNKED + b"1;", forever=b"e" * PART),
        "endless-trailers": raw(CHUNKED + b"0\r\n", forever=b"T: " + b"y" * 8000 + b"\r\n"),
        "slow-body": raw(OK + b"\r\n", forever=b" ", pause=0.05),
        "slow-headers": raw(b"HTTP/1.1 200 OK\r\n", forever=b"A: b\r\n", pause=0.05),
        "silent": silent,
        "closes": raw(),
        "gzip-bomb": bombing(lambda: bomb(3000)),
        "gzip-bomb-twice": bombing(lambda: gzip.compress(bomb(3000))),
        "gzip-bomb-error": bombing(lambda: bomb(3000), "500 Oh"),
        "gzip-broken": reply(b"\x1f\x8b\x08\x00garbage", headers=["Content-Encoding: gzip"]),
        "length-too-long": raw(OK + b"Content-Length: 99999999999\r\n\r\n{}"),
        "length-twice": raw(OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        "length-negative": raw(OK + b"Content-Length: -1\r\n\r\n{}"),
        "chunk-huge": raw(CHUNKED + b"7fffffffffffffff\r\n", forever=b"x" * PART),
        "json-deep": late(lambda: reply('{"choices":' + "[" * 2000000)),
        "json-deep-objects": late(lambda: reply('{"a":' * 500000 + "1" + "}" * 500000)),
        "json-duplicate-keys": reply('{' + ",".join(['"choices":[]'] * 200000) + "}"),
        "json-numbers": reply(message("SELECT 1").replace('"prompt_tokens": 5', '"prompt_tokens": 1e400')),
        "json-tokens": reply(message("SELECT 1").replace('"completion_tokens": 5', '"completion_tokens": -9223372036854775808')),
        "json-not": reply("<html>" * 100000, kind="text/html"),
        "json-nul": reply(message("SELECT 1 \0\x1b[2J")),
        "json-surrogates": reply('{"choices":[{"message":{"content":"\\ud800\\udfff \\udc00"}}]}'),
        "json-types": reply('{"choices":{"message":[1,2]},"usage":"x"}'),
        "json-null": reply("null"), "json-empty": reply(""), "json-array": reply("[]"), "json-twice": reply(message("SELECT 1") * 2),
        "choices-none": reply('{"choices":[]}'), "choices-many": late(lambda: reply(choices(300000))),
        "choices-far": reply(message("SELECT 1").replace('"index": 0', '"index": 999999999')),
        "content-200-mb": late(lambda: reply(message("x" * 200 * mb))),
        "content-20-mb": late(lambda: reply(message("SELECT " + "x" * 20 * mb))),
        "content-type-image": reply(message("SELECT 1"), kind="image/png"), "content-type-none": reply(message("SELECT 1"), kind=""),
        "charset": reply(message("SELECT 'é'").encode("utf-16"), kind="application/json; charset=utf-16"),
        "tool-calls-many": reply(json.dumps({"choices": [{"message": {"content": None, "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}] * 100000}}]})),
        "retry-after-far": reply("{}", "429 Wait", headers=["Retry-After: 99999999999999"]),
        "retry-after-date": reply("{}", "503 Wait", headers=["Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"]),
        "status-999": reply("{}", "999 Odd"), "status-101": reply("", "101 Switching"), "status-204": raw(b"HTTP/1.1 204 None\r\n\r\n"),
        "http-0.9": raw(b"SELECT 1"), "http-garbage": raw(bytes(range(256)) * 1000), "http-tls": raw(b"\x15\x03\x01\x00\x02\x02\x28"),
        "redirect-file": redirect("file:///etc/passwd"), "redirect-other-host": redirect("http://127.0.0.2:1/"),
        "redirect-long": redirect("/" + "x" * 900000),
        "echo-200": echo("200 OK"), "echo-400": echo("400 Bad"), "echo-401": echo("401 No"), "echo-500": echo("500 Oh"),
        "echo-header": echo_header, "echo-hidden": echo_hidden,
    }


def run_against(folder, talk, provider="openai", **more):
    """A run of four requests at once against the server."""
    data.dataset(folder)
    data.questions(folder, [{"question": f"{data.QUESTION} {i}"} for i in range(4)])
    getattr(talk, "made", lambda: None)()
    server = serve(talk)
    limits = '[limits]\ncall_timeout = "3s"\nattempts = 2\nsilence = "4s"\nconcurrency = 4'
    data.experiment(folder, limits, model=model(server, provider=provider), top='timeout = "1s"')
    return Plan(["run", "exp.toml"], LONGEST, "run", after=server.close, checks=[no_key], **more)


def no_key(done):
    """Neither the output nor a file of the store holds the key, nor an export, since the ledger is compressed."""
    found = [p.relative_to(done.folder) for p in done.folder.glob("runs/**/*") if p.is_file() and KEY.encode() in p.read_bytes()]
    found += [name for name, text in (("an export", export(done)), ("the output", done.out + done.err)) if KEY.encode() in text]
    return [f"scope: the key is in {name}" for name in found]


def export(done):
    """What `assay ledger export` writes of the store of a case, empty where there is nothing."""
    path = done.folder / "exported.jsonl"
    subprocess.run([data.binary, "ledger", "export", path], cwd=done.folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
                   env=environment(done.plan, done.folder))
    return path.read_bytes() if path.exists() else b""


def loops(folder):
    """A redirect to itself."""
    where = []

    def talk(connection, request):
        return redirect(where[0].url + "/chat/completions")(connection, request)
    plan = run_against(folder, talk)
    where.append(Moved(plan))
    return plan


class Moved:
    """The address of the server of a plan."""

    def __init__(self, plan):
        self.url = plan.after.__self__.url


def cases():
    for name, talk in servers().items():
        yield Case("network", name, functools.partial(run_against, talk=talk))
    yield Case("network", "redirect-loop", loops)
    for name in ("endless-body", "gzip-bomb", "json-deep", "content-200-mb", "silent", "endless-headers"):
        for provider in ("gemini", "anthropic"):
            yield Case("network", f"{provider}-{name}", functools.partial(run_against, talk=servers()[name], provider=provider))
