"""The machine and the tools of a benchmark: where they are, what versions they have, and how to install the peers."""

import os
import re
import shutil
import subprocess
import zipfile

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
TOOLS = os.path.join(SOURCE, "build/tests/tools")
CACHE = os.environ.get("WARMTRACE_CACHE", os.path.expanduser("~/.cache/warmtrace"))
ASYNC_PROFILER = "tools.profiler:async-profiler:4.1"
PACKAGES = {"strace": "strace", "perf": "linux-perf", "bpftrace": "bpftrace", "opensnoop": "libbpf-tools"}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def install(call):
    """A function of scripts/lib/install.sh; its output, or None where it fails."""
    done = subprocess.run(["bash", "-c", f'. "{SOURCE}/scripts/lib/install.sh" && {call}'], stdout=subprocess.PIPE, text=True,
                          check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def java_home():
    home = install("find_jdk 25 || install_jdk 17")
    return home.splitlines()[-1] if home else None


def have(program):
    """Whether the program of one of PACKAGES is there, installing it where it is not."""
    # Debian puts the BPF tools where only root's path leads.
    os.environ["PATH"] += "" if "/usr/sbin" in os.environ["PATH"].split(":") else ":/usr/sbin"
    if not shutil.which(program):
        install(f"need_packages {PACKAGES[program]}")
    return shutil.which(program) is not None


def async_profiler():
    """The agent's library, from its package on Maven's central repository; None where that cannot be had."""
    folder = os.path.join(CACHE, "async-profiler")
    library = os.path.join(folder, "libasyncProfiler.so")
    if os.path.exists(library):
        return library
    os.makedirs(folder, exist_ok=True)
    if not shutil.which("mvn"):
        install("need_packages maven")
    subprocess.run(["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy", f"-Dartifact={ASYNC_PROFILER}",
                    f"-DoutputDirectory={folder}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    member = f"linux-{'x64' if os.uname().machine == 'x86_64' else 'arm64'}/libasyncProfiler.so"
    for name in os.listdir(folder):
        if name.endswith(".jar"):
            with zipfile.ZipFile(os.path.join(folder, name)) as jar, open(library + ".new", "wb") as file:
                file.write(jar.read(member))
            os.rename(library + ".new", library)
    return library if os.path.exists(library) else None


def first_number(text):
    found = re.search(r"\d+(\.\d+)+", text)
    return found.group(0) if found else "unknown"


def versions(home):
    warmtrace = os.path.join(SOURCE, "build/warmtrace")
    java = subprocess.run([os.path.join(home, "bin/java"), "-version"], capture_output=True, text=True, check=False).stderr
    found = {"warmtrace": output_of(warmtrace, "--version").splitlines()[0].split()[-1],
             "commit": output_of("git", "-C", SOURCE, "rev-parse", "--short", "HEAD"),
             "java": java.splitlines()[1] if len(java.splitlines()) > 1 else "unknown",
             "async-profiler": ASYNC_PROFILER.split(":")[-1]}
    for program in ("strace", "perf", "bpftrace"):
        if shutil.which(program):
            found[program] = first_number(output_of(program, "--version"))
    found["libbpf-tools"] = first_number(output_of("dpkg-query", "-W", "-f=${Version}", "libbpf-tools"))
    return found


def describe():
    model, memory = "unknown processor", 0
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    with open("/proc/meminfo", encoding="ascii") as file:
        memory = int(file.readline().split()[1])
    system = output_of("bash", "-c", '. /etc/os-release && echo "$PRETTY_NAME"')
    return {"processor": model, "cpus": os.cpu_count(), "memory_bytes": memory * 1024, "kernel": os.uname().release,
            "arch": os.uname().machine, "system": system, "load_before": os.getloadavg()[0]}
