"""Caches: made, used, refused and why; scenarios interleaved, interrupted, compared. The programs are a class of a few lines
and the demonstration server; the whole matrix on an application is docs/aot.md's."""

import glob
import json
import os
import shutil
import signal
import subprocess
import time

from harness import (ENVIRONMENT, WARMTRACE, case, demo_jar, folder, free_port, java, java_home, jlink_image, main, run_quietly,
                     skip, trace, warmtrace, workload)

HELLO = """public class Hello {
  public static void main(String[] arguments) throws Exception {
    System.out.println("hello " + new Other().number());
    if (arguments.length > 0)
      Thread.sleep(Long.parseLong(arguments[0]));
  }
}
class Other { int number() { return 1; } }
"""
AGENT = "public class Agent { public static void premain(String arguments) { } }"


def compile_jar(place, name, sources, version, manifest=""):
    """A jar of one-file sources, {file name: text}."""
    classes = os.path.join(place, name + "-classes")
    os.makedirs(classes, exist_ok=True)
    for file, text in sources.items():
        with open(os.path.join(classes, file), "w", encoding="utf-8") as out:
            out.write(text)
    run = run_quietly([os.path.join(java_home(version), "bin/javac"), *sources], cwd=classes)
    assert run.returncode == 0, run.stderr
    with open(os.path.join(classes, "manifest"), "w", encoding="utf-8") as out:
        out.write(manifest)
    jar = os.path.join(place, name + ".jar")
    run = run_quietly([os.path.join(java_home(version), "bin/jar"), "cfm", jar, "manifest",
                       *(os.path.basename(path) for path in glob.glob(classes + "/*.class"))], cwd=classes)
    assert run.returncode == 0, run.stderr
    return jar


def tools(version):
    for tool in ("javac", "jar"):
        if not os.path.exists(os.path.join(java_home(version), "bin", tool)):
            skip(f"JDK {version} has no {tool} here")


def hello(version):
    """(folder, jar) of the little program."""
    tools(version)
    place = folder()
    return place, compile_jar(place, "hello", {"Hello.java": HELLO}, version)


def train(version, *options, cwd, cache="-XX:AOTCacheOutput=hello.aot"):
    run = run_quietly([java(version), cache, *options, "Hello"], cwd=cwd)
    assert run.returncode == 0, run.stdout + run.stderr


def train_and_spoil(version, place, jar, cache):
    """Caches (`cache` with a name in it) of the jar: hello as it is, touched and gone of copies that were changed and moved since.
    Returns a copy of the jar of which there is none."""
    other = shutil.copy(jar, os.path.join(place, "other.jar"))
    for name in ("touched", "gone"):
        shutil.copy(jar, os.path.join(place, name + ".jar"))
        train(version, "-cp", name + ".jar", cwd=place, cache=cache % name)
    train(version, "-cp", jar, cwd=place, cache=cache % "hello")
    later = time.time() + 10  # the JVM compares whole seconds
    os.utime(os.path.join(place, "touched.jar"), (later, later))
    os.rename(os.path.join(place, "gone.jar"), os.path.join(place, "elsewhere.jar"))
    return other


def compare(verb, *arguments, cwd=None, status=0, timeout=300):
    """The comparison that bench or aot makes, and how it ended."""
    report = os.path.join(folder(), "comparison.json")
    run = warmtrace(verb, "--format", "json", "--report", report, *arguments, cwd=cwd, timeout=timeout)
    assert run.returncode == status, f"exit status {run.returncode}, expected {status}:\n{run.stderr}{run.stdout}"
    with open(report, encoding="utf-8") as file:
        comparison = json.load(file)
    return {scenario["name"]: scenario for scenario in comparison["scenarios"]}, comparison, run


def scenarios(rows):
    return [word for name, command in rows.items() for word in ("--scenario", f"{name}={command}")]


def is_refused(scenario, *parts):
    reason = scenario["aot_reason"] or ""
    assert scenario["aot_requested"] and scenario["aot_mapped"] == 0, (scenario["name"], scenario["aot_mapped"], reason)
    for part in parts:
        assert part in reason, f"{scenario['name']}: \"{part}\" is not in: {reason}"


# ---- refusals ----

@case
def aot_refusals():
    place, jar = hello(25)
    agent = compile_jar(place, "agent", {"Agent.java": AGENT}, 25, "Premain-Class: Agent\n")
    train(25, "-cp", jar, cwd=place)
    with open(os.path.join(place, "hello.aot"), "rb") as cache, open(os.path.join(place, "cut.aot"), "wb") as cut:
        cut.write(cache.read(100000))
    with open(os.path.join(place, "noise.aot"), "wb") as noise:
        noise.write(os.urandom(1 << 20))
    run = f"{java(25)} %s -XX:AOTCache=%s -cp {jar} Hello"
    found, comparison, ended = compare("bench", "--runs", "1", "--require-aot", *scenarios({
        "without": f"{java(25)} -cp {jar} Hello",
        "used": run % ("", "hello.aot"),
        "serial": run % ("-XX:+UseSerialGC", "hello.aot"),
        "zgc": run % ("-XX:+UseZGC", "hello.aot"),
        "headers": run % ("-XX:+UseCompactObjectHeaders", "hello.aot"),
        "opens": run % ("--add-opens java.base/java.lang=ALL-UNNAMED", "hello.aot"),
        "agent": run % (f"-javaagent:{agent}", "hello.aot"),
        "recording": run % ("-XX:StartFlightRecording", "hello.aot"),
        "patched": run % (f"--patch-module java.base={agent}", "hello.aot"),
        "missing": run % ("", "missing.aot"),
        "cut": run % ("", "cut.aot"),
        "noise": run % ("", "noise.aot"),
    }), cwd=place, status=1)
    assert found["without"]["aot_requested"] is False and found["without"]["aot_reason"] is None
    for name in ("used", "serial"):
        assert found[name]["aot_mapped"] == 1 and found[name]["aot_reason"] is None, found[name]
        assert found[name]["cache"]["startup_shared"] > 300, found[name]["cache"]
        assert found[name]["cache"]["heap_used"] == 1, found[name]["cache"]
    is_refused(found["zgc"], "other object references", "UseCompressedOops")
    is_refused(found["headers"], "compact object headers", "UseCompactObjectHeaders setting")
    is_refused(found["opens"], "options of modules", "jdk.module.addopens")
    is_refused(found["agent"], "an agent is loaded", "java.instrument")
    is_refused(found["recording"], "a flight recording", "jdk.jfr")
    is_refused(found["patched"], "options of modules", "java.base module is patched")
    is_refused(found["missing"], "not found", "missing.aot")
    is_refused(found["cut"], "damaged", "truncated")
    is_refused(found["noise"], "damaged", "bad magic number")
    # Never a gain of a cache, whatever it took.
    assert not any(word in comparison["verdict"] for word in ("zgc", "headers", "agent")), comparison["verdict"]
    for name in ("zgc", "headers", "opens", "agent", "recording", "patched", "missing", "cut", "noise"):
        assert f"'--require-aot' of {name}:" in ended.stderr, ended.stderr
    assert "of used:" not in ended.stderr, ended.stderr


@case
def jvm_that_dies_of_its_cache():
    place, jar = hello(25)
    train(25, "-cp", jar, cwd=place)
    found, _, ended = compare("bench", "--runs", "1", *scenarios({
        "without": f"{java(25)} -cp {jar} Hello",
        "dies": f"{java(25)} -XX:AOTMode=on -XX:+UseZGC -XX:AOTCache=hello.aot -cp {jar} Hello",
    }), cwd=place, status=1)
    assert found["dies"]["failed_runs"] == 1, found["dies"]
    is_refused(found["dies"], "the JVM does not start with it", "other object references")
    assert "ended with status 1" in ended.stderr, ended.stderr


@case
def runtime_image():
    """A custom image of the same JDK is another JVM to a cache; without an archive of its own it shares nothing at all."""
    place, jar = hello(25)
    train(25, "-cp", jar, cwd=place)
    image = os.path.join(jlink_image(25, "--add-modules", "java.base"), "bin/java")
    found, _, _ = compare("bench", "--runs", "1", *scenarios({
        "jdk": f"{java(25)} -XX:AOTCache=hello.aot -cp {jar} Hello",
        "image": f"{image} -XX:AOTCache=hello.aot -cp {jar} Hello",
    }), cwd=place)
    assert found["jdk"]["aot_mapped"] == 1
    is_refused(found["image"], "the JDK")


@case
def archive_refusals():
    """AppCDS: the archive on top of the JDK's own is given up while that one stays."""
    place, jar = hello(17)
    other = train_and_spoil(17, place, jar, "-XX:ArchiveClassesAtExit=%s.jsa")
    run = f"{java(17)} -XX:SharedArchiveFile=%s -cp %s Hello"
    rows = {
        "used": run % ("hello.jsa", jar),
        "touched": run % ("touched.jsa", "touched.jar"),
        "gone": run % ("gone.jsa", "gone.jar:elsewhere.jar"),
        "path": run % ("hello.jsa", f"{other}:{jar}"),
    }
    if shutil.which(java(25)):
        rows["build"] = f"{java(25)} -XX:SharedArchiveFile=hello.jsa -cp {jar} Hello"
    found, _, _ = compare("bench", "--runs", "1", *scenarios(rows), cwd=place)
    assert found["used"]["aot_mapped"] == 1, found["used"]
    is_refused(found["touched"], "a jar of the class path was changed", "touched.jar")
    is_refused(found["gone"], "jar")
    is_refused(found["path"], "class path differs")
    if "build" in found:
        is_refused(found["build"], "another build of the JDK")


@case
def class_path_of_an_aot_cache():
    """JDK 26 looks at the jars of a cache; 25 takes them as they are (old_code_in_a_cache)."""
    place, jar = hello(26)
    other = train_and_spoil(26, place, jar, "-XX:AOTCacheOutput=%s.aot")
    run = f"{java(26)} -XX:AOTCache=%s.aot -cp %s Hello"
    found, _, _ = compare("bench", "--runs", "1", *scenarios({
        "used": run % ("hello", jar),
        "touched": run % ("touched", "touched.jar"),
        "gone": run % ("gone", "gone.jar:elsewhere.jar"),
        "path": run % ("hello", f"{other}:{jar}"),
    }), cwd=place)
    assert found["used"]["aot_mapped"] == 1, found["used"]
    is_refused(found["touched"], "a jar of the class path was changed", "touched.jar")
    is_refused(found["gone"], "a jar of the class path is missing", "gone.jar")
    is_refused(found["path"], "the class path differs")


@case
def other_build():
    """WARMTRACE_JDK_25_OTHER: the JAVA_HOME of another build of 25."""
    other = os.environ.get("WARMTRACE_JDK_25_OTHER") or skip("WARMTRACE_JDK_25_OTHER names no other build of JDK 25")
    place, jar = hello(25)
    train(25, "-cp", jar, cwd=place)
    found, _, _ = compare("bench", "--runs", "1", *scenarios({
        "same": f"{java(25)} -XX:AOTCache=hello.aot -cp {jar} Hello",
        "other": f"{other}/bin/java -XX:AOTCache=hello.aot -cp {jar} Hello",
    }), cwd=place)
    assert found["same"]["aot_mapped"] == 1
    is_refused(found["other"], "another build of the JDK", "different version or build of HotSpot")


@case
def old_code_in_a_cache():
    """A JVM that accepts a changed jar runs the cache's code: the report says so. (One that looks refuses: also said.)"""
    place, jar = hello(25)
    train(25, "-cp", jar, cwd=place)
    time.sleep(1.1)
    compile_jar(place, "hello", {"Hello.java": HELLO.replace("hello ", "changed ")}, 25)
    run = trace([java(25), "-XX:AOTCache=hello.aot", "-cp", jar, "Hello"], cwd=place)
    found = [finding["id"] for finding in run.report["findings"]]
    if run.out.startswith("hello "):
        assert "aot-cache-stale" in found, (run.out, found)
        # A comparison says so too: its figures are those of another program.
        compared, comparison, _ = compare("bench", "--runs", "1", *scenarios({
            "without": f"{java(25)} -cp {jar} Hello",
            "stale": f"{java(25)} -XX:AOTCache=hello.aot -cp {jar} Hello",
        }), cwd=place)
        assert compared["stale"]["aot_mapped"] == 1, compared["stale"]
        assert any("cache of stale" in note and "old code ran in 1 of 1 runs" in note for note in comparison["notes"]), comparison["notes"]
    else:
        assert "aot-cache-not-used" in found and "aot-cache-stale" not in found, (run.out, found)
    # Made again, it is neither.
    os.unlink(os.path.join(place, "hello.aot"))
    train(25, "-cp", jar, cwd=place)
    run = trace([java(25), "-XX:AOTCache=hello.aot", "-cp", jar, "Hello"], cwd=place)
    found = [finding["id"] for finding in run.report["findings"]]
    assert run.out.startswith("changed ") and not {"aot-cache-stale", "aot-cache-not-used"} & set(found), (run.out, found)


# ---- making and using them ----

@case
def aot_of_a_server():
    port = free_port()
    work = folder()
    found, comparison, _ = compare("aot", "--runs", "2", "--seed", "7", "-n", "3", "--work", work, "--require-aot",
                                   "-r", f"http://127.0.0.1:{port}/api/report", "--", java(25), "-jar", demo_jar(), str(port))
    assert list(found) == ["baseline-g1-fat", "aot-g1-fat"] or list(found) == ["baseline-serial-fat", "aot-serial-fat"], list(found)
    baseline, cached = found.values()
    assert (baseline["runs"], baseline["failed_runs"], baseline["aot_requested"]) == (2, 0, False), baseline
    assert (cached["runs"], cached["failed_runs"], cached["aot_mapped"], cached["aot_reason"]) == (2, 0, 2, None), cached
    assert cached["cache"]["startup_shared"] > 800, cached["cache"]
    assert cached["counts"]["exceptions"]["median"] < baseline["counts"]["exceptions"]["median"], "the training sent the request"
    assert comparison["baseline"] == baseline["name"]
    difference, = comparison["differences"]
    for side, scenario in (("baseline_ns", baseline), ("scenario_ns", cached)):
        assert abs(sum(row[side] for row in difference["causes"]) - scenario["first_request_ns"]["mean"]) <= 0.5
        assert abs(sum(row[side] for row in difference["startup_causes"]) - scenario["ready_ns"]["mean"]) <= 0.5
    assert any("seed 7" in note for note in comparison["notes"]), comparison["notes"]
    # What is kept can be compared again.
    recordings = sorted(glob.glob(work + "/*-[12].wtr"))
    assert len(recordings) == 4, recordings
    again = warmtrace("compare", "--format", "json", *glob.glob(work + "/baseline-*.wtr"), "--vs", *glob.glob(work + "/aot-*.wtr"))
    assert again.returncode == 0, again.stderr
    kept = json.loads(again.stdout)
    assert sorted(kept["scenarios"][1]["first_request_ns"]["values"]) == sorted(cached["first_request_ns"]["values"])


@case
def every_way_to_make_one():
    """What older JVMs can, tried on those that are here."""
    place, jar = hello(17)
    command = ["--runs", "1", "--require-aot", "--", java(17), "-cp", jar, "Hello"]
    for without in ("", "archive_classes_at_exit"):
        run = warmtrace("aot", *command, cwd=place, env={**ENVIRONMENT, "WARMTRACE_WITHOUT": without}, timeout=180)
        assert run.returncode == 0, f"without '{without}': {run.stderr}"
    command[command.index(java(17))] = java(25)
    run = warmtrace("aot", *command, cwd=place, env={**ENVIRONMENT, "WARMTRACE_WITHOUT": "aot_cache_output"}, timeout=180)
    assert run.returncode == 0, run.stderr


@case
def script_that_starts_java():
    """The options go through the environment; the script hides what the JVM prints."""
    place, jar = hello(25)
    script = os.path.join(place, "start")
    with open(script, "w", encoding="utf-8") as out:
        out.write(f"#!/bin/sh\n{java(25)} -cp {jar} Hello >/dev/null 2>&1\n")
    os.chmod(script, 0o755)
    environment = {**ENVIRONMENT, "JAVA_TOOL_OPTIONS": "-Dkept=yes -XX:AOTCache=/nowhere/old.aot"}
    report = os.path.join(place, "comparison.json")
    run = warmtrace("aot", "--runs", "1", "--require-aot", "--format", "json", "--report", report, "--", script, env=environment,
                    timeout=180)
    assert run.returncode == 0, run.stderr
    with open(report, encoding="utf-8") as file:
        comparison = json.load(file)
    command = comparison["scenarios"][1]["command"]
    assert command[1].startswith("JAVA_TOOL_OPTIONS=-Dkept=yes -XX:AOTCache="), command
    assert any("/nowhere/old.aot" in note for note in comparison["notes"]), comparison["notes"]
    assert not comparison["scenarios"][0]["aot_requested"], "the baseline has the old cache"


@case
def what_cannot_be_extracted():
    place, jar = hello(25)
    for command, part in ((["-jar", demo_jar()], "launcher"), (["-jar", jar], "no jars in it"), (["-cp", jar, "Hello"], "'-jar FILE'")):
        run = warmtrace("aot", "--runs", "1", "--layout", "extracted", "--", java(25), *command, cwd=place)
        assert run.returncode == 125 and part in run.stderr and "hint:" in run.stderr, (run.returncode, run.stderr)


@case
def older_jvm():
    run = warmtrace("aot", "--runs", "1", "--", "/bin/true")
    assert run.returncode == 125 and "no JVM was started" in run.stderr, (run.returncode, run.stderr)
    run = warmtrace("aot", "--runs", "1", "--", "/nowhere/java", "-version")
    assert run.returncode == 127, (run.returncode, run.stderr)


# ---- runs ----

def order_of(seed):
    run = warmtrace("bench", "-v", "--runs", "4", "--seed", seed, "--report", "/dev/null",
                    *scenarios({"a": "/bin/true", "b": "/bin/true", "c": "/bin/true"}))
    assert run.returncode == 0, run.stderr
    return [line.split(": ")[2].split(",")[0] for line in run.stderr.splitlines() if line.startswith("warmtrace: run ")]


@case
def order_is_the_seeds():
    first = order_of("1")
    assert len(first) == 12 and all(sorted(first[at:at + 3]) == ["a", "b", "c"] for at in range(0, 12, 3)), first
    assert order_of("1") == first
    assert any(order_of(seed) != first for seed in ("2", "3"))


@case
def interrupted():
    place, jar = hello(25)
    report = os.path.join(place, "comparison.json")
    with subprocess.Popen([WARMTRACE, "bench", "-v", "--runs", "20", "--seed", "1", "--format", "json", "--report", report,
                           *scenarios({"a": "/bin/sleep 0.2", "b": f"{java(25)} -cp {jar} Hello 1000"})],
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=place,
                          start_new_session=True) as process:
        seen = 0
        for line in process.stderr:
            seen += line.startswith("warmtrace: run ")
            if seen == 4:
                break
        time.sleep(0.3)
        # As a terminal does it: to all of the group.
        os.killpg(process.pid, signal.SIGINT)
        process.stderr.read()
        status = process.wait(60)
    assert status in (130, 128 + signal.SIGINT, 143, 0), status
    with open(report, encoding="utf-8") as file:
        comparison = json.load(file)
    assert any("interrupted" in note for note in comparison["notes"]), comparison["notes"]
    assert sum(scenario["runs"] for scenario in comparison["scenarios"]) == 3, comparison["scenarios"]
    assert not glob.glob("/tmp/warmtrace-??????/a-1.wtr"), "the temporary folder stays behind"


@case
def server_that_fails():
    port = free_port()
    found, comparison, run = compare("bench", "--runs", "2", "-n", "1", "-r", f"http://127.0.0.1:{port}/", *scenarios({
        "serves": f"{workload('http_server')} {port}",
        "ends": "sh -c 'echo no such luck; exit 3'",
    }), status=3)
    assert (found["serves"]["runs"], found["serves"]["failed_runs"]) == (2, 0), found["serves"]
    assert (found["ends"]["runs"], found["ends"]["failed_runs"]) == (2, 2), found["ends"]
    assert any("2 of 2 runs of ends failed: the command ended with status 3" in note and "no such luck" in note
               for note in comparison["notes"]), comparison["notes"]
    assert "first_request_ns" not in found["ends"]
    assert run.stdout == "", run.stdout


@case
def gates_of_a_bench():
    port = free_port()
    command = ["--runs", "2", "-n", "1", "-r", f"http://127.0.0.1:{port}/", *scenarios({
        "plain": f"{workload('http_server')} {port}", "opens": f"{workload('http_server')} {port} --open 500"})]
    compare("bench", *command, "--fail-if", "opens > +400", status=1)
    compare("bench", *command, "--fail-if", "opens > +600", "--fail-if", "errors > 0", status=0)


main()
