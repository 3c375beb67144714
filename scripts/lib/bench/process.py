"""What can be seen of a process from outside: its CPU time, its memory, whether it has ended."""

import os
import select
import time


def cpu_ms(pid):
    """CPU of a process with all its threads, those that have ended too, not of its children; also of one that has ended but
    was not waited for. To the nanosecond: /proc counts in ticks."""
    return time.clock_gettime((~pid << 3) | 2) * 1000


def noted_ns(path):
    """The moment that exec_at noted."""
    with open(path, encoding="ascii") as file:
        return int(file.read())


def peak_mb(pid):
    """The most memory that was resident at one time, 0 where it cannot be read (any more)."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def bpf_maps_mb(pid):
    """Memory of the kernel for a process's BPF maps and ring buffers. Rings are mapped too, twice in a row so that a record may
    wrap around their end: all of that counts as resident in peak_mb."""
    maps = {}
    try:
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as file:
                fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            if "map_id" in fields:
                maps[fields["map_id"]] = (int(fields["memlock"]), fields["map_type"] == "27", int(fields["max_entries"]))
    except OSError:
        pass
    return (sum(memory for memory, _, _ in maps.values()) / 2**20,
            sum(2 * size for _, is_ring, size in maps.values() if is_ring) / 2**20)


def descendants(pid):
    found, waiting = [], [pid]
    while waiting:
        here = waiting.pop()
        found.append(here)
        try:
            for task in os.listdir(f"/proc/{here}/task"):
                with open(f"/proc/{here}/task/{task}/children", encoding="ascii") as file:
                    waiting += [int(child) for child in file.read().split()]
        except OSError:
            continue
    return found


def java_of(pid):
    """The java among a process and its descendants; None where there is none."""
    for here in descendants(pid):
        try:
            if os.path.basename(os.readlink(f"/proc/{here}/exe")) == "java":
                return here
        except OSError:
            continue
    return None


def wait_for_end(pidfd, limit_s):
    """Until the process has ended, waited for or not; false where it takes longer."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(limit_s * 1000))
