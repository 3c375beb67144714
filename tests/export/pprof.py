"""pprof itself reads our profiles: its totals are the report's, its labels tell cold from warm.

    pprof.py WARMTRACE WRITE_RECORDING TOOLS
"""
import os
import re
import shutil
import subprocess
import sys

from common import Checks, Program, expected, skip

pprof = os.path.join(sys.argv[3], "pprof")
if not os.access(pprof, os.X_OK):
    pprof = shutil.which("pprof")
if not pprof:
    skip("pprof is not installed: run tests/export/get-tools")
check = Checks()
program = Program(sys.argv[1], sys.argv[2])


def run(path, *options):
    done = subprocess.run([pprof, *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, env={**os.environ, "HOME": program.folder})
    check.that("pprof %s: %s" % (" ".join(options), done.stderr.decode(errors="replace")[:300]), done.returncode == 0)
    return done.stdout.decode("utf-8")


def total_of(text):
    found = re.search(r"of (\d+)(ns)? total", text)
    return int(found.group(1)) if found else 0


for made in (("plain", "1"), ("hostile",)):
    path = program.recording(*made)
    report = program.report(path)
    for by in ("critical-path", "on-cpu", "exceptions", "faults", "classes", "files"):
        profile = os.path.join(program.folder, "profile.pb.gz")
        with open(profile, "wb") as out:
            out.write(program.export(path, "pprof", "--by", by, "--phase", "all"))
        is_time = by in ("critical-path", "on-cpu")
        options = ["-top", "-unit=ns", "-nodecount=100000", "-nodefraction=0"] + ([] if is_time else ["-sample_index=0"])
        check.equal("%s, %s: -top" % (made[0], by), total_of(run(profile, *options)), expected(report, by, "all"))
        if by == "critical-path":
            for label, phase in (("cold", "first_request"), ("warm", "warm")):
                text = run(profile, *options, "-tagfocus=phase=" + label)
                shown = re.search(r"Showing nodes accounting for (\d+)", text)
                check.equal("%s: -tagfocus %s" % (made[0], label), int(shown.group(1)) if shown else None, expected(report, by, phase))
check.finish()
