#!/usr/bin/env python3
"""Compares archive indexes with independent witnesses: Python's zipfile for zips, the JDK's jimage for modules files.

    archive_witness.py ARCHIVE_LIST [FILE...]

Archives of every kind are made here by Python, by `jar` and by `zip`; files named on the command line are compared as
well. For each archive, at every depth, names, header and data offsets, sizes, methods and directory ranges must be
those of the witness, before packing and after; each byte of random reads must belong to what the witness says.
"""
import glob
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
import zipapp
import zipfile

NESTED = (".jar", ".war", ".ear", ".rar", ".zip", ".jmod", ".aar", ".whl", ".pyz")
SIGNATURES = (".SF", ".RSA", ".DSA", ".EC")
UNREADABLE = 16  # the problem that an entry only has the name of an archive
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def quote(name):
    return "".join(chr(b) if 0x20 < b < 0x7F and b != 0x25 else "%%%02X" % b for b in name)


class Witness:
    """What zipfile says about a file, in offsets of that file: archives and entries by (path of names)."""

    def __init__(self, data):
        self.archives = {}  # path -> (offset, length, directory offset, directory length, signed)
        self.entries = []  # (path, raw name, header, data, compressed, uncompressed, method)
        self.add(data, (), 0)

    def add(self, data, path, base):
        archive = zipfile.ZipFile(io.BytesIO(data))
        names = []
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
        directory = archive.start_dir
        position = directory
        for _ in infos:
            name, extra, comment = struct.unpack("<HHH", data[position + 28 : position + 34])
            position += 46 + name + extra + comment
        for info in infos:
            header = info.header_offset
            signature, name_length, extra_length = struct.unpack("<4s22xHH", data[header : header + 30])
            assert signature == b"PK\3\4", (path, info)
            raw = info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437")
            start = header + 30 + name_length + extra_length
            names.append(info.orig_filename)
            entry = (base + header, base + start, info.compress_size, info.file_size, info.compress_type)
            self.entries.append((path, quote(raw)) + entry)
            if info.compress_type == 0 and info.orig_filename.lower().endswith(NESTED) and len(path) < 8:
                inner = data[start : start + info.compress_size]
                if zipfile.is_zipfile(io.BytesIO(inner)):
                    self.add(inner, path + (quote(raw),), base + start)
        top = [n.upper() for n in names if n.upper().startswith("META-INF/") and n.count("/") == 1]
        signed = any(n.endswith(SIGNATURES) for n in top)
        versions = any(
            len(p) > 3 and p[0].upper() == "META-INF" and p[1].lower() == "versions" and p[2].isdigit()
            for p in (n.split("/") for n in names)
        )
        self.archives[path] = (base, len(data), base + directory, position - directory, signed, versions)


def run(tool, mode, path, text=None):
    command = [tool] + ([mode] if mode else []) + [path]
    result = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(result.returncode == 0, "%s: %s" % (" ".join(command), result.stderr.strip()))
    return result.stdout.splitlines()


def parse_listing(lines):
    archives, entries, paths = {}, [], {}
    for line in lines:
        field = line.split("\t")
        if field[0] == "archive":
            number, parent = int(field[1]), int(field[2])
            paths[number] = () if parent < 0 else paths[parent] + (field[14],)
            flags = field[13]
            archives[paths[number]] = tuple(int(f) for f in field[5:9]) + (flags[1] == "1", flags[2] == "1")
            check(int(field[12]) & ~UNREADABLE == 0, "problems %s in %s" % (field[12], paths[number]))
        else:
            entries.append((paths[int(field[1])], field[9]) + tuple(int(f) for f in field[3:8]))
    return archives, entries


def check_lookups(tool, path, data, witness, count):
    """Random ranges against a map of the file that gives each byte its owner, the innermost painted last."""
    ranges = []
    size = len(data)
    for _ in range(count):
        offset = random.randrange(size)
        ranges.append((offset, min(random.choice((1, 512, 10240, 65536)), size - offset)))
    spans = []
    for archive, (offset, length, directory, directory_length, *_) in witness.archives.items():
        spans.append(((len(archive), 0), offset, length, "other", ""))
        spans.append(((len(archive), 1), directory, directory_length, "directory", ""))
    for archive, name, header, start, compressed, _, _ in witness.entries:
        name_length = struct.unpack("<H", data[header + 26 : header + 28])[0]
        spans.append(((len(archive), 2), header, start - header, "header", name))
        spans.append(((len(archive), 3), header + 30, name_length, "name", name))
        spans.append(((len(archive), 4), start, compressed, "data", name))
    blocks = {}  # number of a 64 KiB block -> the spans that touch it
    for span in spans:
        for block in range(span[1] >> 16, (span[1] + span[2] >> 16) + 1):
            blocks.setdefault(block, []).append(span)
    parts = iter(run(tool, "--lookup", path, "".join("%d %d\n" % r for r in ranges)))
    for offset, length in ranges:
        expected = [("other", "")] * length
        touched = [blocks[block] for block in range(offset >> 16, (offset + length >> 16) + 1)]
        for _, start, span_length, kind, name in sorted(sum(touched, []), key=lambda span: span[0]):
            low, high = max(start, offset), min(start + span_length, offset + length)
            if low < high:
                expected[low - offset : high - offset] = [(kind, name)] * (high - low)
        got, at = [], offset
        for line in parts:
            if line == ".":
                break
            kind, start, span_length, _, name = line.split("\t")
            check(int(start) == at and int(span_length) > 0, "%s: parts do not tile at %d" % (path, at))
            at += int(span_length)
            got += [(kind if kind in ("header", "name", "data", "directory") else "other", name)] * int(span_length)
        check(got == expected, "%s: read of %d at %d is attributed wrongly" % (path, length, offset))


def compare_zip(tool, path, what, lookups=200):
    with open(path, "rb") as file:
        data = file.read()
    witness = Witness(data)
    for mode in ("", "--packed"):
        archives, entries = parse_listing(run(tool, mode, path))
        check(archives == witness.archives, "%s %s: archives %s != %s" % (what, mode, archives, witness.archives))
        wrong = set(entries) ^ set(witness.entries)
        count = len(witness.entries)
        check(len(entries) == count, "%s %s: %d entries, not %d" % (what, mode, len(entries), count))
        check(not wrong, "%s %s: %s" % (what, mode, sorted(wrong)[:4]))
    check_lookups(tool, path, data, witness, lookups)
    print("%s: %d archives, %d entries agree" % (what, len(witness.archives), len(witness.entries)))


def compare_jimage(tool, jimage, path, is_compressed=False):
    """jimage prints offsets from the end of the tables, and leaves out the /modules and /packages folders."""
    with open(path, "rb") as file:
        data = file.read(28)
    header = struct.unpack("<7I" if data[:4] == b"\xda\xda\xfe\xca" else ">7I", data)
    tables = 28 + 8 * header[4] + header[5] + header[6]
    expected, module = set(), None
    command = [jimage, "list", "--verbose", path]
    listing = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listing.splitlines():
        field = line.split()
        if line.startswith("Module: "):
            module = field[1]
        elif len(field) == 4 and field[0].isdigit():
            offset, size, compressed = (int(f) for f in field[:3])
            expected.add((module + "/" + field[3], tables + offset, compressed or size, size))
    check(len(expected) > 10, "%s lists no resource" % jimage)
    for mode in ("", "--packed"):
        archives, entries = parse_listing(run(tool, mode, path))
        check(len(entries) == header[4], "%s: %d entries, not %d" % (path, len(entries), header[4]))
        folders = ("modules/", "packages/", "/modules", "/packages")
        got = {(e[1], e[2], e[4], e[5]) for e in entries if not e[1].startswith(folders)}
        methods = {e[6] for e in entries}
        check(methods == ({0, 254} if is_compressed else {0}), "%s: methods %s" % (path, methods))
        check(got == expected, "%s %s: %s" % (path, mode, sorted(got ^ expected)[:4]))
    others = header[4] - len(expected)
    print("%s: %d resources agree with jimage, %d folder tables beside them" % (path, len(expected), others))


def check_class_files(tool, path):
    """For a modules file of the other byte order, which jimage refuses: each class must begin as a class does."""
    data = read(path)
    _, entries = parse_listing(run(tool, "--packed", path))
    classes = [e for e in entries if e[1].endswith(".class")]
    check(len(classes) > 5000 and data[:4] == b"\xca\xfe\xda\xda", "%s: %d classes" % (path, len(classes)))
    for _, name, _, offset, _, _, _ in classes:
        check(data[offset : offset + 4] == b"\xca\xfe\xba\xbe", "%s: no class at %d for %s" % (path, offset, name))
    print("%s: %d classes found in big-endian order" % (path, len(classes)))


def make_zip(path, count=20, method=zipfile.ZIP_DEFLATED, **options):
    with zipfile.ZipFile(path, "w", method) as archive:
        for number in range(count):
            name = "com/example/package%d/Name%d.class" % (number % 7, number)
            archive.writestr(name, os.urandom(number * 37 % 900))
        for name, data in options.items():
            archive.writestr(name, data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, *pieces):
    with open(path, "wb") as file:
        for piece in pieces:
            file.write(piece)
    return path


def nest(path, names, inner, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n", zipfile.ZIP_DEFLATED)
        for name in names:
            archive.writestr(name, inner, method)
    return path


def python_archives(tool, folder):
    def at(name):
        return os.path.join(folder, name)

    compare_zip(tool, make_zip(at("plain.jar")), "deflated")
    compare_zip(tool, make_zip(at("stored.jar"), method=zipfile.ZIP_STORED), "stored")
    plain = read(at("plain.jar"))
    script = b"#!/bin/sh\nexec java -jar \"$0\" \"$@\"\n"
    compare_zip(tool, write(at("prefix.jar"), script, plain), "prefix, offsets not corrected")

    write(at("corrected.jar"), script)
    with zipfile.ZipFile(at("corrected.jar"), "a") as archive:
        for number in range(9):
            archive.writestr("entry%d" % number, b"x" * number * 100)
    compare_zip(tool, at("corrected.jar"), "prefix, offsets corrected")

    with zipfile.ZipFile(make_zip(at("comment.zip")), "a") as archive:
        archive.comment = b"a long comment, " * 4000
    compare_zip(tool, at("comment.zip"), "comment")

    class Stream(io.RawIOBase):  # not seekable: zipfile then writes data descriptors
        def __init__(self, file):
            self.file = file

        def writable(self):
            return True

        def write(self, data):
            return self.file.write(data)

    with open(at("stream.zip"), "wb") as file, zipfile.ZipFile(Stream(file), "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(30):
            archive.writestr("stream%d" % number, b"data" * number)
    compare_zip(tool, at("stream.zip"), "data descriptors")

    
    with warnings.catch_warnings(), zipfile.ZipFile(at("duplicates.jar"), "w") as archive:
        warnings.simplefilter("ignore")
        for number in range(12):
            archive.writestr("same/name", b"content" * number)
    compare_zip(tool, at("duplicates.jar"), "duplicate names")

    with zipfile.ZipFile(at("names.zip"), "w") as archive:
        for name in ("ünïcode/名前.txt", "space in name", "%41", "tab\tname", "folder/", "x" * 65000):
            archive.writestr(name, b"1")
    compare_zip(tool, at("names.zip"), "names")

    zipfile.ZipFile(at("empty.zip"), "w").close()
    compare_zip(tool, at("empty.zip"), "empty")

    level = plain
    for depth in range(8):
        names = ["BOOT-INF/lib/a-%d.jar" % depth, "WEB-INF/lib/b.zip" if depth < 2 else "c.war"]
        level = read(nest(at("level.jar"), names, level))
    compare_zip(tool, at("level.jar"), "nested eight deep")
    nest(at("mixed.jar"), ["lib/inner.jar"], plain, zipfile.ZIP_DEFLATED)
    compare_zip(tool, at("mixed.jar"), "nested but deflated")
    compare_zip(tool, nest(at("false.jar"), ["lib/not.jar"], b"no archive at all"), "named like an archive")
    nest(at("prefixed-inside.jar"), ["run.jar"], script + plain)
    compare_zip(tool, at("prefixed-inside.jar"), "prefix in the nested archive")

    with zipfile.ZipFile(at("many.jar"), "w") as archive:
        for number in range(70000):
            archive.writestr("org/package%d/Class%d.class" % (number // 100, number), b"%d" % number)
    many = read(at("many.jar"))
    compare_zip(tool, at("many.jar"), "70,000 entries (ZIP64)", 20)
    compare_zip(tool, write(at("many-prefix.jar"), script, many), "ZIP64 with prefix", 20)
    for count in (65534, 65535, 65536):
        with zipfile.ZipFile(at("edge.jar"), "w") as archive:
            for number in range(count):
                archive.writestr("%d" % number, b"")
        compare_zip(tool, at("edge.jar"), "%d entries" % count, 5)

    with zipfile.ZipFile(at("zip64.zip"), "w") as archive:
        for number in range(5):
            with archive.open("forced%d" % number, "w", force_zip64=True) as entry:
                entry.write(b"z" * 5000)
    compare_zip(tool, at("zip64.zip"), "ZIP64 local headers")

    # A file of 5 GB: its second entry's offset needs 64 bits, and its data is a hole that must not be read.
    with open(at("large.zip"), "wb") as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("first", b"1")
        hole = zipfile.ZipInfo("hole")
        hole.file_size = hole.compress_size = 5 << 30
        hole.header_offset = file.tell()
        hole.CRC = 0
        file.write(hole.FileHeader(zip64=True))
        file.seek(5 << 30, os.SEEK_CUR)
        archive.start_dir = file.tell()
        archive.filelist.append(hole)
        archive.NameToInfo["hole"] = hole
        archive.writestr("last", b"2")
    _, entries = parse_listing(run(tool, "--packed", at("large.zip")))
    with zipfile.ZipFile(at("large.zip")) as archive:
        expected = [(i.filename, i.header_offset, i.file_size) for i in archive.infolist()]
    check([(e[1], e[2], e[5]) for e in entries] == expected, "5 GB: %s != %s" % (entries, expected))
    check(entries[2][2] > 5 << 30, "5 GB: last entry at %d" % entries[2][2])

    package = os.path.join(folder, "application")
    os.mkdir(package)
    write(os.path.join(package, "__main__.py"), b"print(1)\n")
    zipapp.create_archive(package, at("application.pyz"), "/usr/bin/python3")
    compare_zip(tool, at("application.pyz"), "zipapp")
    wheels = glob.glob(os.path.join(os.path.dirname(os.__file__), "ensurepip/_bundled/*.whl"))
    for wheel in wheels + glob.glob("/usr/share/python-wheels/*.whl"):
        compare_zip(tool, wheel, os.path.basename(wheel), 20)


def tool_archives(tool, folder, java_tools):
    content = os.path.join(folder, "content")
    for number in range(40):
        os.makedirs(os.path.join(content, "p%d" % (number % 5)), exist_ok=True)
        write(os.path.join(content, "p%d" % (number % 5), "C%d.class" % number), os.urandom(number * 31))
    os.makedirs(os.path.join(content, "META-INF/versions/17/p"))
    write(os.path.join(content, "META-INF/versions/17/p/V.class"), b"version")
    made = os.path.join(folder, "made.jar")
    for jar in java_tools["jar"]:
        for options, what in (("cf", "deflated"), ("c0f", "stored")):
            subprocess.run([jar, options, made, "-C", content, "."], check=True)
            compare_zip(tool, made, "%s %s" % (jar, what))
    keytool = os.path.join(os.path.dirname(java_tools["jar"][0]), "keytool")
    store = os.path.join(folder, "keys")
    secret = ["-storepass", "password", "-keystore", store]
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([keytool, "-genkeypair", "-alias", "k", "-keyalg", "RSA", "-dname", "CN=test"] + secret, **quiet)
    signer = os.path.join(os.path.dirname(java_tools["jar"][0]), "jarsigner")
    subprocess.run([signer] + secret + [made, "k"], **quiet)
    compare_zip(tool, made, "signed by jarsigner")
    archives, _ = parse_listing(run(tool, "", made))
    check(archives[()][4:] == (True, True), "signed multi-release jar: %s" % (archives[()],))

    zip_tool = shutil.which("zip")
    check(zip_tool, "no zip tool")
    if zip_tool:
        made = os.path.join(folder, "made.zip")
        subprocess.run([zip_tool, "-qr", made, "."], cwd=content, check=True)
        compare_zip(tool, made, "zip (local extra fields unlike the directory's)")
        prefixed = write(os.path.join(folder, "adjusted"), b"#!/bin/sh\n" * 9, read(made))
        subprocess.run([zip_tool, "-qA", prefixed], **quiet)
        compare_zip(tool, prefixed, "zip -A (prefix corrected)")
        with open(os.path.join(folder, "streamed.zip"), "wb") as out:
            subprocess.run([zip_tool, "-qr0", "-", "."], cwd=content, check=True, stdout=out)
        compare_zip(tool, os.path.join(folder, "streamed.zip"), "zip to a pipe")

    for jmod in java_tools["jmods"]:
        compare_zip(tool, jmod, jmod, 20)
    for jlink in java_tools["jlink"][:1]:
        image = os.path.join(folder, "image")
        modules = os.path.join(image, "lib/modules")
        make = [jlink, "--add-modules", "java.base", "--output", image]
        subprocess.run(make + ["--compress=2"], **quiet)
        compare_jimage(tool, os.path.join(os.path.dirname(jlink), "jimage"), modules, is_compressed=True)
        shutil.rmtree(image)
        subprocess.run(make + ["--endian", "big"], **quiet)
        check_class_files(tool, modules)


def find_java():
    homes = [os.environ["JAVA_HOME"]] if os.environ.get("JAVA_HOME") else []
    homes += sorted(h for h in glob.glob("/usr/lib/jvm/*") if os.path.isdir(h) and not os.path.islink(h))
    if shutil.which("javac"):
        homes.append(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac")))))
    homes = list(dict.fromkeys(os.path.realpath(h) for h in homes))
    found = {"jar": [], "jmods": [], "images": [], "jlink": []}
    for home in homes:
        jar, jimage, modules = (os.path.join(home, p) for p in ("bin/jar", "bin/jimage", "lib/modules"))
        if os.path.exists(jar):
            found["jar"].append(jar)
        jmods = os.path.join(home, "jmods/java.logging.jmod")
        if os.path.exists(jmods):
            found["jmods"].append(jmods)
            found["jlink"].append(os.path.join(home, "bin/jlink"))
        if os.path.exists(jimage) and os.path.exists(modules):
            found["images"].append((jimage, modules))
    return found


def main():
    tool, files = os.path.abspath(sys.argv[1]), sys.argv[2:]
    random.seed(20260)
    java_tools = find_java()
    check(java_tools["jar"], "no JDK with jar")
    check(java_tools["images"], "no JDK with jimage and a modules file")
    with tempfile.TemporaryDirectory(prefix="warmtrace-archives-") as folder:
        python_archives(tool, folder)
        if java_tools["jar"]:
            tool_archives(tool, folder, java_tools)
    for jimage, modules in java_tools["images"]:
        compare_jimage(tool, jimage, modules)
    for path in files:
        if os.path.exists(path):
            compare_zip(tool, path, path, 50)
        else:
            print("%s: not built, not compared" % path)
    if failures:
        sys.exit("%d failures" % len(failures))


main()
