"""The first program inside a sandbox: makes the namespaces, mounts, limits, then starts the submission's program.

It is run as a script by ``sandbox.py`` with nothing but the standard library, because it must start fast and must not need
what is hidden. What it needs to know comes as JSON in its first argument; how the program ended goes as JSON to a pipe.
The system calls are those of Linux: unshare(2), mount(2), mount_setattr(2), prctl(2), capset(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any

NEW_USER, NEW_MOUNTS, NEW_PIDS, NEW_NETWORK, NEW_IPC, NEW_UTS = 0x10000000, 0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 4096, 8192, 16384, 1 << 18
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
"""The number of the system call is the same on all architectures of Linux."""
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
CAPABILITIES = 64
CAPABILITY_VERSION = 0x20080522
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
ACCELERATORS = ("nvidia*", "dri", "kfd", "dxg", "accel*")
_LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Start the program, and say how it ended."""
    spec = json.loads(sys.argv[1])
    report = spec["report_fd"]
    os.set_inheritable(report, False)
    try:
        if spec["means"] not in ("user namespaces", "namespaces of root"):
            return _told(report, {"ended": _start(spec)})
        _unshare(own_users=spec["means"] == "user namespaces")
        first = os.fork()
        if first:
            return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
        _die_with_parent()
        _mount(spec)
        _give_up_privileges()
        return _told(report, {"ended": _start(spec)})
    except OSError as error:
        return _told(report, {"refused": f"{error.filename or 'a system call'}: {error.strerror}"})


def _told(report: int, what: dict[str, Any]) -> int:
    os.write(report, json.dumps(what).encode())
    return 0


def _call(name: str, *arguments: Any) -> None:
    """Call a function of libc; raise its error."""
    if getattr(_LIBC, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"{name}({', '.join(str(one) for one in arguments[:3])})")


def _die_with_parent() -> None:
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _unshare(*, own_users: bool) -> None:
    """Leave the namespaces of the machine; users keep their numbers."""
    _die_with_parent()
    user, group = os.getuid(), os.getgid()
    kinds = NEW_MOUNTS | NEW_PIDS | NEW_NETWORK | NEW_IPC | NEW_UTS | (NEW_USER if own_users else 0)
    _call("unshare", kinds)
    if own_users:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text, encoding="ascii")


def _mount(spec: dict[str, Any]) -> None:
    """Everything read-only but the box; the other runs and the originals out of sight."""
    box = Path(spec["box"])
    _bind("none", "/", MS_REC | MS_PRIVATE)
    # From its own folder a path leads to what lies below the overlays.
    os.chdir(spec["run"])
    writable = _overlays(box, spec["overlays"])
    _tmpfs(box, spec["memory_bytes"])
    for name in ("home", "tmp", "input", "output", "dev"):
        (box / name).mkdir()
    for name in ("input", "output"):
        _bind(name, box / name, MS_BIND)
    empty = box / "tmp/.empty"
    empty.touch()
    for hidden in spec["hidden"]:
        if Path(hidden).is_dir():
            _tmpfs(Path(hidden), 4096)
        else:
            _bind(empty, hidden, MS_BIND)
    _devices(box / "dev")
    # A container that covers parts of /proc refuses; other processes are out of reach by their user namespace then.
    with contextlib.suppress(OSError):
        _call("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)
    _attributes("/", add=ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, below=True)
    _attributes("/dev", remove=ATTR_NODEV, below=True)
    for path in (Path("/dev"), box, box / "output", *map(Path, writable)):
        _attributes(path, remove=ATTR_RDONLY)
    _loopback_up()


def _overlays(box: Path, folders: list[str]) -> list[str]:
    """Let the program write to folders in a way that is gone after the run; return those where that works."""
    _tmpfs(box, None)
    points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    done = []
    for number, folder in enumerate(folders):
        # An overlay would cover what is mounted below it.
        if any(point.startswith(f"{folder}/") for point in points if point != str(box)) or any(sign in folder for sign in ",:\\"):
            continue
        upper, work = box / f"upper{number}", box / f"work{number}"
        upper.mkdir()
        work.mkdir()
        options = f"lowerdir={folder},upperdir={upper},workdir={work}"
        try:
            _call("mount", b"overlay", os.fsencode(folder), b"overlay", MS_NOSUID | MS_NODEV, options.encode())
        except OSError:
            continue
        done.append(folder)
    return done


def _bind(source: str | Path, target: str | Path, flags: int) -> None:
    _call("mount", os.fsencode(source), os.fsencode(target), None, flags, None)


def _tmpfs(target: Path, size_bytes: int | None) -> None:
    options = "mode=755" if size_bytes is None else f"mode=755,size={size_bytes}"
    _call("mount", b"tmpfs", os.fsencode(target), b"tmpfs", MS_NOSUID | MS_NODEV, options.encode())


def _devices(folder: Path) -> None:
    """Leave the devices that do no harm, and accelerators."""
    devices = Path("/dev")
    kept = [devices / name for name in DEVICES] + [one for name in ACCELERATORS for one in sorted(devices.glob(name))]
    _tmpfs(folder, None)
    for device in kept:
        if device.exists():
            target = folder / device.name
            target.mkdir() if device.is_dir() else target.touch()
            _bind(device, target, MS_BIND | MS_REC)
    (folder / "shm").mkdir(mode=0o777)
    for name, descriptor in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        (folder / name).symlink_to(f"/proc/self/{descriptor}")
    _bind(folder, "/dev", MS_MOVE)


def _attributes(path: str | Path, *, add: int = 0, remove: int = 0, below: bool = False) -> None:
    # struct mount_attr: what to set, what to clear, propagation, user namespace.
    change = struct.pack("QQQQ", add, remove, 0, 0)
    flags = AT_RECURSIVE if below else 0
    _call("syscall", MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), flags, change, len(change))


def _loopback_up() -> None:
    """Programs talk to themselves over 127.0.0.1; it leads nowhere else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(one, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def _give_up_privileges() -> None:
    """Nothing that was mounted can be undone from here on, also by root."""
    for number in range(CAPABILITIES):
        _LIBC.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    _call("capset", struct.pack("Ii", CAPABILITY_VERSION, 0), struct.pack("6I", *[0] * 6))
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _die_with_parent()


def _start(spec: dict[str, Any]) -> int:
    """Run the program and return its exit code, negative for a signal; 127 and 126 as of a shell."""
    program = os.fork()
    if program:
        return _reaped(program)
    try:
        os.chdir(spec["cwd"])
        for what, most in spec["limits"].items():
            kind = getattr(resource, what)
            hard = resource.getrlimit(kind)[1]
            value = most if hard == resource.RLIM_INFINITY else min(most, hard)
            # At the soft limit of computing a program is told why it ends, a second later it is killed.
            last = value + 1 if what == "RLIMIT_CPU" and hard == resource.RLIM_INFINITY else value
            resource.setrlimit(kind, (value, last))
        os.execvp(spec["command"][0], spec["command"])
    except FileNotFoundError as error:
        os.write(2, f"{error.filename or spec['command'][0]}: no such file\n".encode())
        os._exit(127)
    except OSError as error:
        os.write(2, f"{spec['command'][0]}: {error.strerror}\n".encode())
    os._exit(126)


def _reaped(program: int) -> int:
    """Wait for the program; as the first process of its namespace also for its orphans."""
    while True:
        process, status = os.wait()
        if process == program:
            return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
