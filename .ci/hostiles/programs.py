"""Programs as arms and as metrics, and their settings: floods, nonsense, stops, children, long answers, secrets in their sources.

A program may cost its item, or end the run with an error; never more. No run tells a key, keeps one, or leaves a process, and
what a run has written can be read again: a case that ends well is reported.
"""
import functools, os, pathlib, signal, subprocess, sys, time

from . import data
from .measure import KEY, Case, Plan, environment

BEGIN = "import json, os, signal, subprocess, sys, time\n"
LOOP = BEGIN + "for line in sys.stdin:\n    q = json.loads(line)\n    def say(o): print(json.dumps(o), flush=True)\n"
ANSWER = '    say({"id": q["id"], "candidates": ["SELECT 1"]})\n'
SCORE = '    say({"score": 1})\n'
MARK = "HOSTILE_MARK"  # a variable that every process of a program has

# name: the text of a program after LOOP, and whether the run ends well.
ARMS = {
    "ordinary": (ANSWER, "ok"),
    "flood": ('    while True: os.write(1, b"x" * 1000000)\n', "error"), "flood-lines": ('    while True: os.write(1, b"{}\\n" * 100000)\n', "error"),
    "flood-objects": ('    while True: say({"id": q["id"], "candidates": []})\n', "any"), "flood-stderr": ('    for i in range(300): os.write(2, b"\\x1b[2J" * 200000)\n' + ANSWER, "ok"),
    "silent": ("    time.sleep(100)\n", "error"), "closes-output": ("    os.close(1); time.sleep(100)\n", "error"), "closes-all": ("    os.closerange(0, 3); time.sleep(100)\n", "error"),
    "stops": ("    os.kill(os.getpid(), signal.SIGSTOP)\n", "error"), "stops-group": ("    os.killpg(0, signal.SIGSTOP)\n", "error"), "kills-group": ("    os.killpg(0, signal.SIGKILL)\n", "error"),
    "ignores-signals": ("    [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 13, 15)]; time.sleep(100)\n", "error"), "dies": ("    sys.exit(3)\n", "error"), "half-line": ('    os.write(1, b\'{"id":\'); sys.exit(0)\n', "error"),
    "children": ('    for i in range(50): subprocess.Popen(["sleep", "300"])\n' + ANSWER, "ok"), "session": ('    subprocess.Popen(["sleep", "300"], start_new_session=True)\n' + ANSWER, "ok"),
    "daemon": ('    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0: os.closerange(0, 3); time.sleep(300)\n        os._exit(0)\n    os.wait()\n' + ANSWER, "ok"),
    "forks": ('    for i in range(8):\n        if os.fork() == 0: time.sleep(300)\n' + ANSWER, "ok"),
    "many-names": ('    print("{" + ",".join(\'"%x":1\' % i for i in range(700000)) + "}", flush=True)\n', "error"), "many-values": ('    say({"id": q["id"], "candidates": [""] * 2000000})\n', "error"), "deep": ('    print(\'{"a":\' * 1000000 + "1" + "}" * 1000000, flush=True)\n', "error"),
    "twice": ('    print(\'{"id": %s, "candidates": ["SELECT 1"], "candidates": ["SELECT 2"]}\' % json.dumps(q["id"]), flush=True)\n', "error"), "zero-bytes": ('    os.write(1, b"\\0" * 100 + b"\\n")\n', "error"), "not-utf-8": ('    os.write(1, b\'{"id": "\\xff"}\\n\')\n', "error"),
    "sql-7-mb": ('    say({"id": q["id"], "candidates": ["SELECT " + "1," * 3500000 + "1"]})\n', "ok"), "quotes-7-mb": ('    say({"id": q["id"], "candidates": ["\\"" * 3500000]})\n', "ok"), "note-7-mb": ('    say({"id": q["id"], "candidates": ["SELECT 1"], "note": "n" * 7000000})\n', "ok"),
    "error-7-mb": ('    say({"id": q["id"], "error": "\\x1b[2J" + "e" * 7000000})\n', "error"), "source-7-mb": ('    say({"id": q["id"], "candidates": [{"sql": "SELECT 1", "source": "s" * 7000000}]})\n', "ok"), "sql-odd": ('    say({"id": q["id"], "candidates": ["SELECT \'\\0\\x1b[2J\\ud800\'"], "note": "=cmd\\x1b[2J"})\n', "ok"),
    "environment": ('    os.write(2, repr(dict(os.environ)).encode() + b"\\n")\n' + ANSWER, "ok"), "kills-assay": ("    os.kill(os.getppid(), signal.SIGTERM); time.sleep(100)\n", "stopped"),
    "asks-floods": ('    import urllib.request\n    for i in range(20):\n        r = urllib.request.Request(q["base_url"] + "/chat/completions", data=b"[" * 15000000, headers={"Authorization": "Bearer " + q["api_key"]})\n        try: urllib.request.urlopen(r).read()\n        except Exception: pass\n' + ANSWER, "ok"),
    "asks-forever": ('    import socket\n    host = q["base_url"].split("/")[2].split(":")\n    open_ = []\n    for i in range(300):\n        s = socket.create_connection((host[0], int(host[1]))); s.sendall(b"POST / HTTP/1.1\\r\\nX: "); open_.append(s)\n' + ANSWER, "ok"),
}
METRICS = {
    "huge": ('    say({"score": 1e308})\n', "error"), "not-a-number": ('    say({"score": float("nan")})\n', "error"), "text": ('    say({"score": "1"})\n', "error"), "truth": ('    say({"score": True})\n', "error"), "twice": ('    print(\'{"score": 1, "score": 0}\', flush=True)\n', "error"),
    "twice-otherwise": ('    print(\'{"score": 1, "SCORE": 0}\', flush=True)\n', "error"), "and-an-error": ('    say({"score": 1, "error": "x\\x1b[2J"})\n', "error"), "minus-zero": ('    say({"score": -0.0})\n', "ok"), "digits": ('    print(\'{"score": 0.\' + "3" * 1000000 + "}", flush=True)\n', "ok"),
    "why-7-mb": ('    say({"score": 0.5, "why": "=cmd\\x1b[2J" + "w" * 7000000})\n', "ok"), "why-odd": ('    say({"score": 0.5, "why": {"a": [1] * 100000}})\n', "ok"), "other-item": ('    say({"item": "other", "score": 1})\n', "error"), "flood": ('    while True: os.write(1, b"x" * 1000000)\n', "error"), "daemon": (ARMS["daemon"][0].replace(ANSWER, SCORE), "ok"),
}
# name: the keys of an arm whose run must be refused, or ends well.
KEYS = {
    "sources-environment": ('sources = ["/proc/self/environ"]', "error"), "sources-key": ('sources = [".env"]', "error"), "sources-device": ('sources = ["/dev/zero"]', "error"), "sources-root": ('sources = ["/"]', "error"), "sources-stars": (f'sources = ["{"*/" * 200}*"]', "error"),
    "sources-pipe": ('sources = ["pipe"]', "error"), "sources-loop": ('sources = ["loop"]', "any"), "sources-names": ('sources = ["odd"]', "error"), "sources-many": ('sources = ["many"]', "error"), "sources-huge": ('sources = ["huge"]', "error"),
    "env-key": ('env.A = "${HOSTILE_KEY}"', "error"), "env-name": ('env."A=B" = "x"', "error"), "env-zero": ('env.A = "x\\u0000y"', "error"), "env-base": ('env.OPENAI_BASE_URL = "http://127.0.0.1:9"', "error"), "dir-pipe": ('dir = "pipe"', "error"), "dir-none": ('dir = "/no/such"', "error"), "startup": ('startup = "-1s"', "error"),
}


def arm(folder, body, want, allow=True, keys=""):
    data.dataset(folder)
    (folder / "program.py").write_text(LOOP + body)
    data.experiment(folder, arm=f'command = ["{sys.executable}", "program.py"]\ntimeout = "2s"\nenv.{MARK} = "{folder}"\n{keys}')
    return Plan(["run", "exp.toml", *(["--allow-commands"] if allow else [])], 20.0, "run", want=want, checks=[no_key, no_raw, readable, functools.partial(none_left, mark=f"{MARK}={folder}")])


def greeting(folder, body, want):
    """The same with a program that says when it is ready, so that its time begins then."""
    plan = arm(folder, body, want)
    program, exp = folder / "program.py", folder / "exp.toml"
    program.write_text(program.read_text().replace("for line", 'print(json.dumps({"ready": True}), flush=True)\nfor line', 1))
    exp.write_text(exp.read_text().replace("timeout =", 'startup = "10s"\ntimeout =', 1))
    return plan


def metric(folder, body, want):
    data.dataset(folder)
    (folder / "program.py").write_text(LOOP + body)
    data.experiment(folder, f'[[metric]]\nid = "mine"\ncommand = ["{sys.executable}", "program.py"]\nenv.{MARK} = "{folder}"\n')
    path = folder / "exp.toml"
    path.write_text(path.read_text().replace('metrics = ["ex"]', 'metrics = ["ex", "mine"]'))
    return Plan(["run", "exp.toml", "--allow-commands"], 20.0, "run", want=want, checks=[no_key, no_raw, readable, functools.partial(none_left, mark=f"{MARK}={folder}")])


def settings(folder, keys, want):
    plan = arm(folder, ANSWER, want, keys=keys)
    os.mkfifo(folder / "pipe")
    (folder / ".env").write_text(f"A={KEY}\n")
    for name in ("loop", "odd", "many"):
        (folder / name).mkdir()
    (folder / "loop/loop").symlink_to(".")
    (folder / "loop/a.py").write_text("1")
    (folder / "odd/\x1b[2J\n.py").write_text("1")
    for i in range(1500 if "many" in keys else 0):
        (folder / f"many/{i}").touch()
    if "huge" in keys:
        with open(folder / "huge", "wb") as f:
            f.truncate(1 << 35)
    return plan


def no_key(done):
    """The key of a provider, which this process of assay has in its environment, is in no output and no file of the run."""
    found = [p.relative_to(done.folder) for p in done.folder.glob("runs/**/*") if p.is_file() and KEY.encode() in p.read_bytes()]
    return [f"scope: the key is in {name}" for name in found] + (["scope: told the key"] if KEY.encode() in done.out + done.err else [])


def no_raw(done):
    return ["raw text in an output"] * (b"\x1b" in done.out + done.err)


def readable(done):
    """What a run wrote that ended well can be reported."""
    if done.code != 0:
        return []
    got = subprocess.run([data.binary, "report", "exp"], cwd=done.folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, env=environment(done.plan, done.folder))
    return [] if got.returncode == 0 else [f"answer: the run cannot be reported: {got.stderr[-200:]!r}"]


def none_left(done, mark):
    """No process with the mark of this case's programs is left, whatever session it went into."""
    for wait in (0, 0.5, 1):
        time.sleep(wait)
        left = [p for p in filter(str.isdigit, os.listdir("/proc")) if marked(p, mark)]
        if not left:
            return []
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)
    return [f"left {len(left)} processes of the program"]


def marked(pid, mark):
    try:
        return mark.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def cases():
    for name, (body, want) in ARMS.items():
        yield Case("programs", f"arm-{name}", functools.partial(greeting, body=body, want=want))
    for name, (body, want) in METRICS.items():
        yield Case("programs", f"metric-{name}", functools.partial(metric, body=body, want=want))
    for name, (keys, want) in KEYS.items():
        yield Case("programs", f"keys-{name}", functools.partial(settings, keys=keys, want=want))
    yield Case("programs", "not-allowed", functools.partial(arm, body=ANSWER, want="error", allow=False))
