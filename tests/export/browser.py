"""Makes the pages and pictures that a test in the browser opens, and runs it.

    browser.py WARMTRACE WRITE_RECORDING TOOLS SCRIPT.mjs
"""
import os
import shutil
import subprocess
import sys

from common import HERE, Program, skip

tools, script = sys.argv[3], sys.argv[4]
browser = os.environ.get("WARMTRACE_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if not shutil.which("node"):
    skip("there is no node")
if not browser:
    skip("there is no chromium")
if not os.path.isdir(os.path.join(tools, "node_modules", "playwright-core")):
    skip("playwright-core is not installed: run tests/export/get-tools")

program = Program(sys.argv[1], sys.argv[2])


def write(name, content):
    with open(os.path.join(program.folder, name), "wb") as out:
        out.write(content)


for label, made in (("hostile", ("hostile",)), ("plain", ("plain", "1")), ("busy", ("busy", "60000"))):
    path = program.recording(*made)
    write(label + ".html", program.output("report", "-f", "html", path))
    write(label + ".json", program.output("report", "-f", "json", path))
    if label != "busy":
        write(label + ".svg", program.export(path, "svg"))
        write(label + "-flame.html", program.export(path, "flamegraph"))
        for by in ("critical-path", "exceptions"):
            write("%s-%s.speedscope.json" % (label, by), program.export(path, "speedscope", "--by", by))
before, after = program.recording("plain", "1"), program.recording("plain", "2")
write("difference.svg", program.export(before, "svg", "--vs", after))
write("cold-and-warm.svg", program.export(before, "svg", "--minus-warm"))
write("cold-and-warm-flame.html", program.export(before, "flamegraph", "--minus-warm"))
write("comparison.html", program.output("compare", "-f", "html", "--name", "<b>before</b>,after", before, before, "--vs", after, after))
hostile = program.recording("hostile")
write("hostile-difference.svg", program.export(before, "svg", "--vs", hostile))
write("hostile-cold-and-warm.svg", program.export(hostile, "svg", "--minus-warm"))
write("hostile-comparison.html", program.output("compare", "-f", "html", "--name", "</script><script>document.title='owned'</script>,\u202eb",
                                                before, before, "--vs", hostile, hostile))
done = subprocess.run(["node", os.path.join(HERE, script), program.folder, tools, browser], check=False)
sys.exit(done.returncode)
