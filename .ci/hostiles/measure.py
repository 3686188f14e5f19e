"""Runs one hostile case, and measures it from outside: how it ended, how long it took, what memory it had, what it changed.

A Case builds its inputs in a folder of its own and gives a Plan, the command to run there. run() starts the command in a
session of its own, samples the process with all its descendants every 10 ms, kills the session where the command does not
end, and compares every file of the folder with what it was. Nothing here knows what a case is about: what a case must
answer is in its Plan.
"""
import contextlib, dataclasses, hashlib, os, pathlib, re, signal, stat, subprocess, termios, threading, time, tty
from typing import Callable

STEP = 0.010  # seconds between two samples of memory
SLACK = 0.100  # seconds that a statement or a file may take past its deadline
BOUND, AIM = 512, 256  # MB in all processes of a case
STOP = 3000  # MB at which a case is killed, so that it does not take the machine with it
KEPT = 4 << 20  # bytes of an output that are looked at
KEY = "sk-hostile-KEY-0123456789abcdef"  # the key that providers are given
SECRET = "S3CRET-OF-ANOTHER-FILE"  # stands in files that no case may read


@dataclasses.dataclass
class Plan:
    """What to run for a case, and what is wanted of it. args lack the binary; paths in them are relative to the folder."""
    args: list
    deadline: float  # seconds, without the start-up of the process
    startup: str = "eval"  # the verb whose start-up is allowed for, see Machine
    want: str = "any"  # "ok": exit code 0; "error": 1 or 2; "stopped": by a signal, any code; "any"
    says: str = ""  # a pattern that the output must hold
    status: str = ""  # a pattern that the item's status must match
    env: dict = dataclasses.field(default_factory=dict)
    stdin: object = subprocess.DEVNULL  # bytes, or a file of subprocess
    pty: bool = False  # standard output is a terminal
    writes: tuple = ("store", "runs", "cache", "home", "tmp", "out")  # the folders and files that it may make or change
    signals: tuple = ()  # (seconds after the start, signal)
    limits: Callable = None  # runs in the child before the command
    checks: list = dataclasses.field(default_factory=list)  # functions of Done: a list of problems
    after: Callable = lambda: None  # ends what the case started itself


@dataclasses.dataclass(frozen=True)
class Case:
    """One hostile case. make builds its inputs in a folder and returns its Plan."""
    kind: str
    name: str
    make: Callable


@dataclasses.dataclass
class Done:
    """What came of a case."""
    case: Case
    plan: Plan
    folder: pathlib.Path
    code: int = 0  # exit code; below 0: the signal that ended it
    killed: str = ""  # why this script killed it
    seconds: float = 0
    peak: float = 0  # MB
    out: bytes = b""
    err: bytes = b""
    status: str = ""
    digest: str = ""
    problems: list = dataclasses.field(default_factory=list)

    def outcome(self):
        code = self.killed or (f"signal {-self.code}" if self.code < 0 else f"rc {self.code}")
        return f"{code} {self.status}".strip()

    def said(self):
        """The first line that says something: that of an error before that of the output."""
        lines = (self.err if self.code else self.status.encode() or self.out).decode("utf-8", "backslashreplace")
        line = next((s for s in lines.splitlines() if s.strip()), "")
        return "".join(c if c.isprintable() else "?" for c in line)[:110]


class Machine:
    """The binary, and how long each verb takes on this machine to do nothing: start-up is allowed for, not measured."""

    def __init__(self, binary, grace):
        self.binary, self.grace, self.startup = str(binary), grace, {}

    def allowed(self, plan):
        return plan.deadline + SLACK + self.startup.get(plan.startup, self.startup.get("eval", 0))


def run(machine, case, folder):
    """Build the inputs of the case in the folder, run it there and return what came of it."""
    folder.mkdir(parents=True)
    for name in ("home", "tmp", "store"):
        (folder / name).mkdir()
    plan = case.make(folder)
    done = Done(case, plan, folder)
    before = snapshot(folder)
    done.digest = digest(before)
    try:
        execute(machine, done)
    finally:
        plan.after()
    judge(machine, done, before)
    return done


def environment(plan, folder):
    """No variable of this machine but the path: a case sees its own folder alone."""
    own = {"PATH": os.environ["PATH"], "HOME": "home", "TMPDIR": "tmp", "XDG_CACHE_HOME": "cache"}
    own = {k: v if k == "PATH" else str(folder / v) for k, v in own.items()}
    return {k: v for k, v in {**own, "TERM": "xterm", "HOSTILE_KEY": KEY, **plan.env}.items() if v is not None}


def execute(machine, done):
    plan, folder = done.plan, done.folder
    with contextlib.ExitStack() as opened:
        out, read = output(opened, plan, folder / ".stdout")
        err = opened.enter_context(open(folder / ".stderr", "wb"))
        given = plan.stdin
        if isinstance(given, bytes):
            (folder / ".stdin").write_bytes(given)
            given = opened.enter_context(open(folder / ".stdin", "rb"))
        start = time.monotonic()
        child = subprocess.Popen([machine.binary, *map(str, plan.args)], cwd=folder, stdin=given, stdout=out, stderr=err,
                                 env=environment(plan, folder), start_new_session=True, preexec_fn=lambda: begin(plan))
        try:
            watch(machine, done, child, start)
        finally:
            left = leftover(child.pid) and (time.sleep(0.5) or leftover(child.pid))  # a child may take a moment to notice
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if left and not done.killed:
            done.problems.append("left a process")
        done.code = child.returncode
        done.out = read()
    done.err = head(folder / ".stderr")


def begin(plan):
    """In the child, before the command: no signal is ignored, whatever started this script, and the limits hold."""
    for s in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(s, signal.SIG_DFL)
    if plan.limits:
        plan.limits()


def output(opened, plan, path):
    """Where standard output goes, and a function that returns what came: a file, or a raw terminal."""
    if not plan.pty:
        return opened.enter_context(open(path, "wb")), lambda: head(path)
    ours, theirs = os.openpty()
    tty.setraw(theirs, termios.TCSANOW)
    parts = []

    def drain():
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                parts.append(part)

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()

    def read():
        os.close(theirs)
        reader.join(2)
        os.close(ours)
        return b"".join(parts)[:KEPT]
    return theirs, read


def watch(machine, done, child, start):
    """Sample the process tree until the command ends, and send the plan's signals; kill what does not end."""
    signals, end = list(done.plan.signals), machine.allowed(done.plan) + machine.grace
    while True:
        now = time.monotonic() - start
        done.peak = max(done.peak, memory(child.pid))
        if child.poll() is not None:
            break
        if signals and now >= signals[0][0]:
            os.kill(child.pid, signals.pop(0)[1])
        if now > end:
            done.killed = "hang"
        elif done.peak > STOP:
            done.killed = "memory"
        if done.killed:
            break
        time.sleep(STEP)
    done.seconds = time.monotonic() - start


def memory(root):
    """MB of the process and its descendants: the sum of what is resident now, and at least the highest of any one."""
    total = top = 0
    for pid in tree(root):
        with contextlib.suppress(OSError, ValueError):
            text = pathlib.Path(f"/proc/{pid}/status").read_text()
            rss = {k: int(v) / 1024 for k, v in re.findall(r"^(VmHWM|VmRSS):\s*(\d+) kB", text, re.M)}
            total, top = total + rss.get("VmRSS", 0), max(top, rss.get("VmHWM", 0))
    return max(total, top)


def tree(root):
    found, open_ = [], [root]
    while open_:
        pid = open_.pop()
        found.append(pid)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError):
                    open_ += map(int, pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


def leftover(session):
    """The processes of the session that are alive after its leader ended."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and int(pid) != session and fields[0] not in "ZX":
                left.append(int(pid))
    return left


def head(path):
    with contextlib.suppress(OSError), open(path, "rb") as f:
        return f.read(KEPT)
    return b""


def snapshot(folder):
    """Every path below the folder: its type, permissions, and the digest of a regular file that can be read quickly."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name, info = str(path.relative_to(folder)), path.lstat()
        if name in (".stdout", ".stderr", ".stdin"):
            continue
        what = f"{stat.S_IFMT(info.st_mode):o} {info.st_mode & 0o777:o}"
        if path.is_symlink():
            what += " " + os.readlink(path)
        elif stat.S_ISREG(info.st_mode):
            small = info.st_size <= 64 << 20
            what += f" {info.st_size} " + (hashlib.sha256(path.read_bytes()).hexdigest() if small else str(info.st_mtime_ns))
        found[name] = what
    return found


def digest(found):
    """One digest of the inputs."""
    return hashlib.sha256("\n".join(f"{k} {v}" for k, v in found.items()).encode()).hexdigest()[:12]


def judge(machine, done, before):
    """Note what is not as it has to be."""
    plan, problems, text = done.plan, done.problems, done.out + done.err
    done.status = status(done.folder / "out.csv")
    if done.killed == "hang":
        problems.append("hang")
    if done.killed or done.seconds > machine.allowed(plan):
        problems.append("late")
    if done.peak > BOUND:
        problems.append(f"over {BOUND} MB")
    if not done.killed and (done.code < 0 and plan.want != "stopped" or CRASH.search(text)):
        problems.append("crash")
    problems += changes(before, snapshot(done.folder), plan.writes)
    if SECRET.encode() in text:
        problems.append("scope: told the text of another file")
    if not done.killed:
        problems += wanted(done, text)
        for check in plan.checks:
            problems += check(done)


CRASH = re.compile(rb"^(panic:|fatal error:|runtime: |goroutine \d+ \[|SIG[A-Z]+: |unexpected fault address)", re.M)


def wanted(done, text):
    plan, code = done.plan, done.code
    if plan.want == "ok" and code != 0 or plan.want == "error" and code not in (1, 2):
        yield f"answer: wanted {plan.want}"
    if plan.says and not re.search(plan.says, text.decode("utf-8", "replace"), re.I):
        yield f"answer: does not say {plan.says}"
    if plan.status and done.status and not re.fullmatch(plan.status, done.status):
        yield f"scope: status {done.status}, wanted {plan.status}"


def changes(before, after, writes):
    """Inputs that differ, and files that are new, outside of what the case may write."""
    for name in sorted(before.keys() | after.keys()):
        mine = any(name == w or name.startswith(w + "/") or name.startswith(w + ".") for w in writes)
        if mine or before.get(name) == after.get(name):
            continue
        yield f"changed: {name}" if name in before else f"scope: made {name}"


def status(path):
    """The status of the one item that --items wrote."""
    lines = head(path).decode("utf-8", "replace").splitlines()
    if len(lines) < 2 or "status" not in lines[0].split(","):
        return ""
    return lines[1].split(",")[lines[0].split(",").index("status")]
