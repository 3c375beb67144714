"""How the reporter's time and memory grow with the number of events, from ten thousand to fifty million."""

import os
import resource
import subprocess
import time

from bench import machine

SIZES = [10_000, 100_000, 1_000_000, 5_000_000, 20_000_000, 50_000_000]
LIMIT_S = 240


def measure(recording, place, largest, say):
    maker = os.path.join(machine.SOURCE, "build/tests/tools/repeat_recording")
    program = os.path.join(machine.SOURCE, "build/warmtrace")
    grown = os.path.join(place, "grown.wtr")
    found = []
    for size in SIZES:
        if size > largest:
            break
        began = time.monotonic()
        subprocess.run([maker, recording, grown, str(size)], check=True)
        written_s = time.monotonic() - began
        row = {"events": size, "written_s": written_s, "file_bytes": os.path.getsize(grown)}
        began = time.monotonic()
        with open(os.devnull, "wb") as nowhere:
            report = subprocess.Popen([program, "report", grown], stdout=nowhere, stderr=subprocess.DEVNULL,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S)))
            _, status, usage = os.wait4(report.pid, 0)
        row |= {"report_s": time.monotonic() - began, "report_cpu_s": usage.ru_utime + usage.ru_stime,
                "peak_mb": usage.ru_maxrss / 1024}
        if status:
            row["failed"] = "no report: " + (f"ended by signal {status & 127}" if status & 127 else f"status {status >> 8}")
        found.append(row)
        os.unlink(grown)
        say(f"{size:,} events: report in {row['report_s']:.2f} s, {row['peak_mb']:.0f} MiB")
        if status:
            break
    return found
