"""Opens and look-ups, by path: exact against programs that know what they opened."""

import os

from harness import case, folder, main, program, run_quietly, trace, workload

# What known_files looks up, by the tables in its source: stat 13 there and 11 absent, access 5 and 3, readlink 3 links,
# one absent name and one that is no link.
LOOKUPS = {}
for index in range(13):
    LOOKUPS[f"there-{index:02}"] = [1, 0]
for index in range(5):
    LOOKUPS[f"there-{index:02}"][0] += 1
for index in range(11):
    LOOKUPS[f"absent-{index:02}"] = [1, 1]
for index in range(3):
    LOOKUPS[f"absent-{index:02}"] = [2, 2]
for index in range(3):
    LOOKUPS[f"link-{index:02}"] = [1, 0]
LOOKUPS["absent-00"] = [3, 3]
LOOKUPS["there-00"] = [3, 1]


def rows_below(run, top):
    """Rows by name. "x/.." stays in the report as it was asked for, since x may be a link to elsewhere; here it is none."""
    prefix = top + "/"
    rows = {}
    for row in run.report["files"]:
        path = os.path.normpath(row["path"])
        if path.startswith(prefix):
            name = path.removeprefix(prefix)
            assert name not in rows, f"two rows for {name}"
            rows[name] = row
    return rows


def check_known_files(run, top, truth):
    rows = rows_below(run, top)
    opened = {path.removeprefix(top + "/") for path in truth["opened"]}
    absent = {path.removeprefix(top + "/") for path in truth["absent"]}
    for name in opened:
        row = rows.get(name)
        assert row, f"{name} was opened and is in no row"
        assert (row["opens"], row["failed_opens"]) == (1, 0), row
    for name in absent:
        row = rows.get(name)
        assert row, f"{name} was looked for and is in no row"
        assert (row["opens"], row["failed_opens"]) == (1, 1), row
    for name, (lookups, failed) in LOOKUPS.items():
        row = rows.get(name)
        assert row, f"{name} was looked up and is in no row"
        assert (row["lookups"], row["failed_lookups"]) == (lookups, failed), row
    # Nothing else there, but what the program says that it prepares, and the folders themselves.
    others = [name for name in rows if name not in opened | absent | set(LOOKUPS) and not name.startswith("prepare-") and name != "sub"]
    assert not others, others
    counted = [row for name, row in rows.items() if not name.startswith("prepare-") and name != "sub"]
    assert sum(row["opens"] for row in counted) == truth["opens_ok"] + truth["opens_failed"] == 40
    assert sum(row["failed_opens"] for row in counted) == truth["opens_failed"] == 17
    assert sum(row["lookups"] for row in counted) == truth["lookups_ok"] + truth["lookups_failed"] == 37
    assert sum(row["failed_lookups"] for row in counted) == truth["lookups_failed"] == 16


@case
def known_files():
    top = folder()
    run = trace([workload("known_files"), top])
    check_known_files(run, top, run.json_lines()[0])


@case
def relative_folder():
    """DIR is named by a relative path, from a working folder that is not warmtrace's by the time of the opens."""
    top = folder()
    run = trace([workload("known_files"), os.path.basename(top)], cwd=os.path.dirname(top))
    check_known_files(run, top, run.json_lines()[0])


@case
def names_are_never_empty():
    run = trace([workload("known_files"), folder()])
    for row in run.report["files"]:
        assert row["path"].startswith("/") or row["path"].startswith("["), f"not an absolute path: {row['path']!r}"


@case
def reads_without_a_buffer():
    """sendfile, copy_file_range and splice read a file as well: how much, and from where."""
    top = folder()
    source = os.path.join(top, "source")
    with open(source, "wb") as file:
        file.write(bytes(10_000))
    script = ("import os, sys\nsource = os.open(sys.argv[1], os.O_RDONLY)\nto = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)\n"
              "out, into = os.pipe()\nassert os.copy_file_range(source, to, 1000) == 1000\n"
              "assert os.copy_file_range(source, to, 2000, offset_src=5000) == 2000\nassert os.sendfile(to, source, 7001, 500) == 500\n"
              "assert os.splice(source, into, 300, offset_src=9000) == 300\nassert os.splice(source, into, 200) == 200\n"
              "assert os.splice(out, to, 100) == 100\nassert os.pread(source, 10, 9990) == bytes(10)\n")
    run = trace([program("python3"), "-c", script, source, os.path.join(top, "to")])
    row = next(row for row in run.report["files"] if row["path"] == source)
    assert (row["reads"], row["bytes_read"]) == (6, 4010), row
    inode = os.stat(source).st_ino
    places = [(event["offset"], event["result"]) for event in run.events("file_read") if event["inode"] == inode]
    assert places == [(0, 1000), (5000, 2000), (7001, 500), (9000, 300), (1000, 200), (9990, 10)], places


@case
def deep_folder():
    """18 folders of 200 characters, entered one by one: no single name could be as long as the whole path."""
    top = folder()
    here = os.open(top, os.O_RDONLY)
    path = top
    for depth in range(18):
        name = f"{depth:02}" + "d" * 198
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here, path = below, f"{path}/{name}"
    file = os.open("odd-name.txt", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(file, b"text")
    os.close(file)
    os.close(here)
    script = "import os, sys\nfor name in sys.argv[1:]: os.chdir(name)\nopen('odd-name.txt').read()\n"
    names = [top] + [f"{depth:02}" + "d" * 198 for depth in range(18)]
    run = trace([program("python3"), "-c", script, *names])
    found = [row["path"] for row in run.report["files"] if row["path"].endswith("/odd-name.txt")]
    assert found == [f"{path}/odd-name.txt"], [f"{len(name)} characters: {name[:80]}...{name[-300:]}" for name in found]


@case
def own_root():
    """After chroot a path is the one that the process itself uses."""
    top = folder()
    os.makedirs(os.path.join(top, "data/below"))
    with open(os.path.join(top, "data/below/inside.txt"), "w", encoding="ascii") as file:
        file.write("text")
    script = (f"import os\nos.chroot({top!r})\nos.chdir('/data')\nopen('/data/below/inside.txt').read()\n"
              "open('below/inside.txt').read()\n")
    run = trace([program("python3"), "-c", script])
    rows = [row for row in run.report["files"] if row["path"].endswith("inside.txt")]
    assert [(row["path"], row["opens"]) for row in rows] == [("/data/below/inside.txt", 2)], rows


@case
def every_thread_and_child():
    """The command's first thread, another one, a child and a grandchild: one open each."""
    top = folder()
    for index in range(4):
        with open(f"{top}/file-{index}", "w", encoding="ascii") as file:
            file.write("x" * (10 + index))
    script = (f"import threading, subprocess\nopen('{top}/file-0').read()\n"
              f"t = threading.Thread(target=lambda: open('{top}/file-1').read()); t.start(); t.join()\n"
              f"subprocess.run(['head', '-c99', '{top}/file-2'])\nsubprocess.run(['sh', '-c', 'head -c99 {top}/file-3; true'])\n")
    run = trace([program("python3"), "-c", script])
    rows = rows_below(run, top)
    for index in range(4):
        row = rows[f"file-{index}"]
        assert (row["opens"], row["failed_opens"]) == (1, 0), row
        assert row["bytes_read"] == 10 + index, row
    assert len({event["pid"] for event in run.events("file_open") if f"{top}/file-" in event["tail"]}) == 3


@case
def against_strace():
    """All of a program's opens, name by name, in two runs of the same command."""
    command = [program("sh"), "-c", "cat /etc/hosts /etc/absent-file 2>/dev/null; ls /usr/share >/dev/null; cat /etc/hostname"]
    run = trace(command)
    log = os.path.join(folder(), "strace")
    run_quietly([program("strace"), "-f", "-qq", "-e", "trace=open,openat,openat2,creat", "-e", "signal=none", "-y", "-o", log, *command])
    expected = {}
    with open(log, encoding="utf-8") as file:
        for line in file:
            path = line.split('"')[1]
            counts = expected.setdefault(path, [0, 0])
            counts[0] += 1
            counts[1] += " = -1 " in line
    seen = {row["path"]: [row["opens"], row["failed_opens"]] for row in run.report["files"] if row["opens"]}
    assert len(expected) > 10, "strace saw nothing to compare with"
    assert seen == expected, {path: (seen.get(path), expected.get(path)) for path in seen.keys() | expected.keys()
                              if seen.get(path) != expected.get(path)}


@case
def only_the_tree():
    """Another process opens files all the time: none of them is in the report."""
    import subprocess
    top = folder()
    noise = subprocess.Popen([program("sh"), "-c", f"while :; do cat {top}/noise 2>/dev/null; done"])
    try:
        run = trace([workload("known_files"), folder()])
    finally:
        noise.kill()
        noise.wait()
    assert not rows_below(run, top), rows_below(run, top)


main()
