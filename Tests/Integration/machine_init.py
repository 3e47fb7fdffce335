"""pid 1 of a test machine. Started by machine.py with the control socket, the program of start.c and the plan.

It leaves the real machine's namespaces, builds the private file systems, then does what a first process must do: reap
orphans at once (a zombie pins its keyrings), take syslog messages, and start programs on request. Programs are its own
children, so they inherit nothing from the test runner: no descriptor, no environment, no terminal, no session keyring.
The machine ends with this process, and this process ends when the control socket closes.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import re
import resource
import select
import signal
import socket
import struct
import sys
import termios
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import keyring_view

CLONE_FLAGS = 0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000  # user mnt pid net ipc uts
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
SYS_MOUNT_SETATTR = 442
AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = -100, 0x8000, 1
PR_SET_NAME = 15
NSSWITCH = "passwd: files\ngroup: files\nshadow: files\ngshadow: files\nhosts: files dns\n"
LOGINUID_UNSET = b"4294967295"

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    result = libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])
    check(result, f"mount {source} on {target}")


def bind(source: str, target: str) -> None:
    mount(source, target, None, MS_BIND | MS_REC)


def set_read_only(target: str, read_only: bool) -> None:
    attributes = struct.pack("=QQQQ", *((MOUNT_ATTR_RDONLY, 0) if read_only else (0, MOUNT_ATTR_RDONLY)), 0, 0)
    call = [SYS_MOUNT_SETATTR, AT_FDCWD, os.fsencode(target), AT_RECURSIVE, attributes, len(attributes)]
    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in call]
    check(libc.syscall(*arguments), f"make {target} {'read-only' if read_only else 'writable'}")


def directory(path: str, mode: int = 0o755) -> str:
    os.makedirs(path, exist_ok=True)
    os.chmod(path, mode)
    return path


def overlay(stage: str, target: str) -> None:
    name = target.strip("/").replace("/", "-")
    upper, work = directory(f"{stage}/{name}"), directory(f"{stage}/.work-{name}")
    status = os.stat(target)
    os.chmod(upper, status.st_mode & 0o7777)
    os.chown(upper, status.st_uid, status.st_gid)
    layers = f"lowerdir={target},upperdir={upper},workdir={work}"
    try:
        mount("machine", target, "overlay", 0, layers + ",userxattr")
    except OSError:
        mount("machine", target, "overlay", 0, layers)


def build_devices(stage: str) -> None:
    """A /dev of our own: the devices programs need, terminals of this machine only, and a syslog socket."""
    dev = directory(f"{stage}/dev")
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        os.close(os.open(f"{dev}/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
        bind(f"/dev/{name}", f"{dev}/{name}")
    directory(f"{dev}/pts")
    mount("devpts", f"{dev}/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,gid=5,mode=620,ptmxmode=666")
    os.symlink("pts/ptmx", f"{dev}/ptmx")
    directory(f"{dev}/shm", 0o1777)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{dev}/{name}")
    bind(dev, "/dev")


def build_file_systems(plan: dict) -> int:
    """Private /etc, /usr, /var, /run, /home, /root, /tmp, /dev, /proc; the rest of the real tree is read-only.

    Everything the machine ever writes lies in one tmpfs, so that one walk finds it all; returns a descriptor of it.
    """
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    set_read_only("/", True)
    kept = {path: os.open(path, os.O_PATH) for path in [plan["shared"], *plan["visible"]]}
    stage = plan["stage"]
    mount("machine", stage, "tmpfs", 0, "mode=755,size=1g")
    written = os.open(stage, os.O_RDONLY | os.O_DIRECTORY)
    for target in ("/etc", "/usr", "/var"):
        overlay(stage, target)
    for target in ("/var/log", "/var/tmp", "/var/mail", "/var/spool/cron"):
        if os.path.isdir(target):
            status = os.stat(target)
            name = target.strip("/").replace("/", "-")
            private = directory(f"{stage}/{name}", status.st_mode & 0o7777)
            os.chown(private, status.st_uid, status.st_gid)
            bind(private, target)
    build_devices(stage)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    bind("/proc/sys", "/proc/sys")
    set_read_only("/proc/sys", True)
    for target, mode in (("/run", 0o755), ("/home", 0o755), ("/root", 0o755), ("/tmp", 0o1777)):
        bind(directory(stage + target, mode), target)
    for path, descriptor in kept.items():
        if not os.path.isdir(path) or not os.path.samestat(os.stat(path), os.fstat(descriptor)):
            os.makedirs(path, exist_ok=True)
            bind(f"/proc/self/fd/{descriptor}", path)
        elif path == plan["shared"]:
            bind(path, path)
        os.close(descriptor)
    set_read_only(plan["shared"], False)
    os.chdir("/")
    return written


def populate(plan: dict) -> None:
    directory("/run/sshd")
    directory("/run/lock", 0o1777)
    for path in ("/run/utmp", "/var/log/wtmp", "/var/log/btmp", "/var/log/lastlog", "/var/log/faillog"):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    socket.sethostname(plan["name"])
    with open("/etc/hostname", "w") as file:
        file.write(plan["name"] + "\n")
    with open("/etc/hosts", "w") as file:
        file.write(f"127.0.0.1 localhost {plan['name']}\n")
    # Whoever else this machine asks for names, the tests know only those that they have made.
    with open("/etc/nsswitch.conf", "w") as file:
        file.write(NSSWITCH)


def set_loopback(up: bool) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as endpoint:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(endpoint, 0x8913, request))[1]
        flags = flags | 1 if up else flags & ~1
        fcntl.ioctl(endpoint, 0x8914, struct.pack("16sh22x", b"lo", flags))


class SyslogSink:
    """Takes what syslog(3) sends and writes one JSON line a message, with the sender the kernel vouches for."""

    TIME = r"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )?"
    TAG = r"(?:([^\s:\[]+)(?:\[(\d+)\])?: ?)?"
    FORM = re.compile(rf"<(\d{{1,3}})>{TIME}{TAG}(.*)", re.DOTALL)

    def __init__(self, path: str):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind("/dev/log")
        os.chmod("/dev/log", 0o666)
        self.socket.setblocking(False)
        self.file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def drain(self) -> None:
        while True:
            try:
                data, ancillary, _, _ = self.socket.recvmsg(65536, socket.CMSG_SPACE(12))
            except BlockingIOError:
                return
            pid, uid, _ = struct.unpack("iii", ancillary[0][2][:12]) if ancillary else (0, -1, -1)
            text = data.rstrip(b"\0\n").decode("utf-8", "surrogateescape")
            match = self.FORM.fullmatch(text)
            priority, tag, tagged_pid, message = match.groups() if match else ("13", "", None, text)
            entry = {
                "time": time.time(),
                "facility": int(priority) >> 3,
                "severity": int(priority) & 7,
                "tag": tag or "",
                "pid": int(tagged_pid) if tagged_pid else pid,
                "sender_pid": pid,
                "sender_uid": uid,
                "message": message,
            }
            os.write(self.file, json.dumps(entry).encode() + b"\n")


def answer(reply: socket.socket, message: dict, descriptors: list[int] | None = None) -> None:
    data = json.dumps(message).encode() + b"\n"
    with contextlib.suppress(OSError):
        if descriptors:
            sent = socket.send_fds(reply, [data], descriptors)
            data = data[sent:]
        reply.sendall(data)


def failure(problem: BaseException) -> dict:
    return {"error": f"{type(problem).__name__}: {problem}", "errno": getattr(problem, "errno", None)}


def starting(request: dict) -> list[bytes]:
    """The command line of start.c."""
    limits = [f"{getattr(resource, name)}={limit} " for name, limit in request["limits"].items()]
    ids = [] if request["uid"] is None else [request["uid"], request["gid"], *request["groups"]]
    words = [
        "start",
        request["cwd"],
        str(int(request["new_session_keyring"])),
        str(int(bool(request["terminal"]))),
        "".join(limits),
        "".join(f"{number} " for number in ids),
        request["program"],
        *request["arguments"],
    ]
    return [os.fsencode(word) for word in words]


class Init:
    def __init__(self, control: socket.socket, sink: SyslogSink, written: int, starter: str):
        self.control, self.sink, self.written, self.starter = control, sink, written, starter
        self.waiting: dict[int, socket.socket] = {}
        self.wakeup, wakeup_writer = os.pipe()
        os.set_blocking(wakeup_writer, False)
        os.set_blocking(self.wakeup, False)
        signal.set_wakeup_fd(wakeup_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.own_signals = [n for n in signal.valid_signals() if signal.getsignal(n) not in (signal.SIG_DFL, None)]

    def run(self) -> None:
        poller = select.poll()
        for descriptor in (self.control.fileno(), self.sink.socket.fileno(), self.wakeup):
            poller.register(descriptor, select.POLLIN)
        while True:
            for descriptor, _ in poller.poll():
                if descriptor == self.wakeup:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wakeup, 4096)
                elif descriptor == self.sink.socket.fileno():
                    self.sink.drain()
                else:
                    self.serve()
            self.reap()

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if reply := self.waiting.pop(pid, None):
                self.sink.drain()
                answer(reply, {"status": status})
                reply.close()

    def serve(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 20, 8)
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        if not data:
            os._exit(0)
        request = json.loads(data)
        reply = socket.socket(fileno=descriptors[0])
        keep = False
        try:
            keep = getattr(self, "serve_" + request["operation"])(request, reply, descriptors[1:])
        except Exception as problem:  # the machine must outlive a request that went wrong; the asker is told
            answer(reply, failure(problem))
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        if not keep:
            reply.close()

    def serve_start(self, request: dict, reply: socket.socket, descriptors: list[int]) -> bool:
        master = slave = -1
        if request["terminal"]:
            master, slave = os.openpty()
            rows, columns = request["terminal"]
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if request["uid"] is not None:
                os.fchown(slave, request["uid"], 5)
        stdio = descriptors or [slave, slave, slave]
        reader, writer = os.pipe()
        # Above the numbers that they have in the program.
        given = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 16) for each in (*stdio, writer, *((slave,) * (slave >= 0)))]
        try:
            # A fork of this process takes several times as long as the start of a program.
            pid = os.posix_spawn(
                self.starter,
                starting(request),
                {os.fsencode(k): os.fsencode(v) for k, v in request["environment"].items()},
                file_actions=[(os.POSIX_SPAWN_DUP2, each, number) for number, each in enumerate(given)],
                setsid=True,
                setsigmask=[],
                setsigdef=self.own_signals,
            )
        finally:
            for each in (writer, *given):
                os.close(each)
        refusal = os.read(reader, 16)
        os.close(reader)
        if refusal:
            number = int(refusal)
            answer(reply, {"error": f"{request['program']}: {os.strerror(number)}", "errno": number})
        else:
            self.waiting[pid] = reply
            terminal = [] if master < 0 else [master, slave] if request["hold_terminal"] else [master]
            answer(reply, {"pid": pid}, terminal)
        for descriptor in (master, slave):
            if descriptor >= 0:
                os.close(descriptor)
        return not refusal

    def in_child(self, reply: socket.socket, uid: int | None, work) -> bool:
        """Runs `work` in a forked child, which may become somebody else; pid 1's own keyrings never change."""
        if os.fork() == 0:
            try:
                if uid is not None:
                    os.setgroups([])
                    os.setresgid(uid, uid, uid)
                    os.setresuid(uid, uid, uid)
                answer(reply, {"result": work()})
            except BaseException as problem:
                answer(reply, failure(problem))
            os._exit(0)
        return False

    def in_thread(self, reply: socket.socket, work) -> bool:
        """Runs `work` in a thread, which has keyrings of its own (credentials(7)), at a tenth of a child's cost."""

        def run() -> None:
            try:
                result = {"result": work()}
            except BaseException as problem:
                result = failure(problem)
            answer(reply, result)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        return False

    def serve_keys(self, request: dict, reply: socket.socket, _: list[int]) -> bool:
        work = {
            "tree": lambda: keyring_view.tree(keyring_view.USER_KEYRING, request["payloads"], request["timeouts"]),
            "listing": keyring_view.proc_keys,
            "session": keyring_view.inherited_session_keyring,
            "clear": lambda: keyring_view.clear(keyring_view.USER_KEYRING),
        }[request["what"]]
        if request["uid"] is None and request["what"] != "session":
            return self.in_thread(reply, work)
        return self.in_child(reply, request["uid"], work)

    def serve_kill(self, request: dict, reply: socket.socket, _: list[int]) -> bool:
        """Answers with a descriptor that is readable when the process is over: pidfd_open(2)."""
        process = os.pidfd_open(request["pid"])
        try:
            signal.pidfd_send_signal(process, request["signal"])
            answer(reply, {"result": None}, [process])
        finally:
            os.close(process)
        return False

    def serve_loopback(self, request: dict, reply: socket.socket, _: list[int]) -> bool:
        set_loopback(request["up"])
        answer(reply, {"result": None})
        return False

    def serve_listen(self, request: dict, reply: socket.socket, _: list[int]) -> bool:
        with socket.create_server(("127.0.0.1", request["port"]), backlog=128) as listening:
            answer(reply, {"result": None}, [listening.fileno()])
        return False

    def serve_settle(self, request: dict, reply: socket.socket, _: list[int]) -> bool:
        """After this, every log message sent before the request is in the file and every dead orphan is reaped."""
        self.reap()
        self.sink.drain()
        answer(reply, {"result": None})
        return False

    def serve_written(self, request: dict, reply: socket.socket, _: list[int]) -> bool:
        answer(reply, {"result": None}, [self.written])
        return False


def forget_login_uid() -> None:
    """pam_loginuid may set it once; somebody who runs the tests from an ssh session has it set already."""
    with contextlib.suppress(OSError), open("/proc/self/loginuid", "wb", buffering=0) as file:
        file.write(LOGINUID_UNSET)


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    plan = json.loads(sys.argv[3])
    forget_login_uid()
    try:
        check(libc.unshare(CLONE_FLAGS), "namespaces")
    except OSError as problem:
        control.send(json.dumps({"failed": str(problem)}).encode())
        sys.exit(1)
    control.send(json.dumps({"unshared": os.getpid()}).encode())
    control.recv(16)
    pid = os.fork()
    if pid:
        control.send(json.dumps({"init": pid}).encode())
        control.close()
        os.waitpid(pid, 0)
        return
    try:
        os.setsid()
        os.umask(0o022)
        libc.prctl(PR_SET_NAME, b"machine-init", 0, 0, 0)
        null = os.open("/dev/null", os.O_RDWR)
        # Above the numbers that a program has when it is started by this name.
        starter = fcntl.fcntl(int(sys.argv[2]), fcntl.F_DUPFD_CLOEXEC, 64)
        os.close(int(sys.argv[2]))
        written = build_file_systems(plan)
        populate(plan)
        set_loopback(True)
        init = Init(control, SyslogSink(plan["log"]), written, f"/proc/self/fd/{starter}")
        for number in (0, 1, 2):
            os.dup2(null, number)
        control.send(json.dumps({"ready": True}).encode())
    except BaseException as problem:
        control.send(json.dumps({"failed": f"{type(problem).__name__}: {problem}"}).encode())
        os._exit(1)
    init.run()


if __name__ == "__main__":
    main()
