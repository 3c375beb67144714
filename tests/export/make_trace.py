"""Made-up recordings in text form (user/format/text.h), for tests of pictures and exports.

    make_trace.py hostile            every kind of name is one that breaks a careless writer
    make_trace.py plain [VARIANT]    a small service; VARIANT 2 lost one frame and gained another, its lambdas renumbered
    make_trace.py busy EVENTS        about so many events, for measurements
"""
import struct
import sys

# What a careless writer of each format stumbles over.
HOSTILE = [
    b"<script>document.title='owned'</script>", b"\"quoted\" 'single' `back`", b"two\nlines\r\nof text", b"semi;colon;frames 12",
    b"not \xff\xfe utf-8 \xc3", b"x" * 10000, b"right \xe2\x80\xae to left \xe2\x81\xa6 marks", b"</title></svg>]]><img src=x onerror=alert(1)>",
    b"\\u003c \\x3c %s %n {{data}}", b"=HYPERLINK(1)", b"-->", b"\x1b[31mred\x07", b"&lt;&amp;&#60;", b"", b"\xe2\x80\xa8line separator",
]


def quote(text):
    out = []
    for byte in text:
        if byte in (0x22, 0x5C) or byte < 0x20 or byte >= 0x7F:
            out.append("\\x%02x" % byte)
        else:
            out.append(chr(byte))
    return '"' + "".join(out) + '"'


def run_text(key, value):
    print("1ms 0/0 run_text " + quote(key.encode() + b"\0" + value))


def head(command):
    print("thread main = 100/100\nthread worker = 100/101\nthread poller = 100/102")
    for key, value in (("command", command), ("user", b"tester"), ("kernel", b"Linux 6.1"), ("arch", b"x86_64"), ("cpus", b"2"),
                       ("start_realtime_ns", b"1700000000000000000"), ("tool_version", b"test")):
        run_text(key, value)
    print('1ms main exec parent_pid=1 uid=1000 "/usr/bin/server"')
    print("1ms main switch_in")


class Stacks:
    """Interpreted frames: a method each, named once."""

    def __init__(self):
        self.methods = {}
        self.count = 0

    def stack(self, names):
        """Prints a STACK of (class, method) pairs, root first; returns its id."""
        self.count += 1
        frames = b""
        for pair in reversed(names):
            if pair not in self.methods:
                self.methods[pair] = 0x1000 + len(self.methods)
                print("1ms 0/0 frame_name method=%d at=3 type=interpreted %s" % (
                    self.methods[pair], quote(pair[0] + b"\0" + pair[1] + b"\0File.java\x0012")))
            frames += struct.pack("<QQII", self.methods[pair], 3, 1, 0)
        print("1ms 0/0 stack stack_id=%d frame_count=%d %s" % (self.count, len(names), quote(frames)))
        return self.count


def request(at_ms, length_ms, route, inside):
    """One request on the worker, handed over by the poller; `inside` prints what happens in it."""
    def ms(value):
        return ("%.6f" % value).rstrip("0").rstrip(".") + "ms"

    print("%s 0/0 socket_arrival socket=0x20 length=32 port=8080 peer_port=40000" % ms(at_ms))
    print("%s 0/0 wake target=poller context=network" % ms(at_ms + 0.01))
    print("%s poller switch_in" % ms(at_ms + 0.02))
    print("%s poller wake target=worker" % ms(at_ms + 0.2))
    print("%s worker switch_in previous_pid=900 previous_tid=900 %s" % (ms(at_ms + 0.3), quote(b"other")))
    print("%s poller switch_out state=interruptible syscall_number=233" % ms(at_ms + 0.4))
    head_bytes = b"GET " + route + b" HTTP/1.1\r\nHost: a\r\n\r\n"
    print("%s..%s worker socket_read result=%d socket=0x20 descriptor=4 flags=accepted port=8080 peer_port=40000 %s" % (
        ms(at_ms + 0.3), ms(at_ms + 0.4), len(head_bytes), quote(head_bytes)))
    inside(at_ms, ms)
    end = at_ms + length_ms
    print("%s..%s worker socket_write result=40 socket=0x20 descriptor=4 flags=accepted port=8080 peer_port=40000 %s" % (
        ms(end - 0.1), ms(end), quote(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")))
    print("%s worker switch_out state=interruptible syscall_number=203" % ms(end + 0.1))


def service(name_of, route, variant=1, extra=None):
    """`name_of(number)` gives the names: threads, classes, methods, paths."""
    stacks = Stacks()
    print("2ms main fork child_pid=100 child_tid=101\n2ms main fork child_pid=100 child_tid=102")
    print("2.1ms worker thread_name %s" % quote(name_of(0)[:4000] or b"worker"))
    print("2.1ms poller thread_name %s" % quote(name_of(1)[:4000] or b"poller"))
    print("3ms main jvm_state state=mapped\n4ms main jvm_state state=create\n8ms main jvm_state state=init_begin")
    print("9ms main jvm_state state=init_end")
    for number, name in enumerate(name_of(i) for i in range(15)):
        at = 20 + number
        print("%d.1ms..%d.2ms main file_open result=5 inode=%d device=1 %s" % (at, at, 100 + number, quote(b"/srv/" + name[:4000])))
        print("%d.3ms..%d.35ms main file_lookup result=-2 %s" % (at, at, quote(b"/srv/missing/" + name[:4000])))
        print("%d.4ms..%d.5ms main file_read result=64 inode=%d device=1 offset=0 length=64" % (at, at, 100 + number))
        print("%d.6ms main class_load stack_pointer=0x9000 %s" % (at, quote(b"app/" + name)))
        print("%d.65ms main class_loaded stack_pointer=0x9000 %s" % (at, quote(b"app/" + name)))
        print("%d.7ms..%d.72ms main fault address=0x7000%02x000" % (at, at, number))
        print("%d.8ms main sample period_ns=1ms mode=user code=interpreted stack_id=%d" % (
            at, stacks.stack([(b"app/Main", b"main"), (name, name or b"run")])))
    print("100ms main socket_listen socket=0x10 descriptor=3 port=8080 family=2 %s" % quote(b"127.0.0.1"))
    print("101ms main socket_ready socket=0x10 descriptor=3 port=8080")
    print("101.5ms main switch_out state=interruptible syscall_number=203")
    print("139ms..139ms main socket_accept result=4 socket=0x20 port=8080 peer_port=40000 family=2 %s" % quote(b"127.0.0.1"))
    lambda_name = b"app/Main$$Lambda+0x00007f%06x" % (variant * 4096 + 17)
    root = [(b"java/lang/Thread", b"run"), (lambda_name, b"accept")]

    def cold(at, ms):
        for number in range(15):
            t, name = at + 1 + number * 2.5, name_of(number)
            stack = stacks.stack(root + [(b"app/" + name, name or b"call"), (b"app/Gone" if variant == 1 else b"app/New", b"work")])
            print("%s worker sample period_ns=1ms mode=user code=interpreted stack_id=%d" % (ms(t), stack))
            print("%s..%s worker exception count=1 stack_id=%d %s" % (ms(t + 0.2), ms(t + 0.25), stack, quote(b"app/" + name)))
            print("%s worker class_load stack_pointer=0x9000 %s" % (ms(t + 0.5), quote(b"lazy/" + name)))
            print("%s worker class_parse stack_pointer=0x8f00 %s" % (ms(t + 0.6), quote(b"lazy/" + name)))
            print("%s..%s worker file_open result=-2 %s" % (ms(t + 0.62), ms(t + 0.7), quote(b"/srv/lazy/" + name[:4000])))
            print("%s worker class_loaded stack_pointer=0x9000 %s" % (ms(t + 1.1), quote(b"lazy/" + name)))
            print("%s..%s worker fault address=0x7100%02x000 is_major=%d" % (ms(t + 1.2), ms(t + 1.3), number, number % 2))
            print("%s worker sample period_ns=1ms mode=user code=interpreted stack_id=%d" % (ms(t + 1.5), stack))

    request(140, 40, route, cold)
    if extra:
        extra()
    for number in range(6):
        request(300 + number * 10, 2, route, lambda at, ms: print("%s worker sample period_ns=1ms mode=user code=c2 stack_id=%d" % (
            ms(at + 1), stacks.stack(root + [(b"app/Service", b"answer")]))))
    print("400ms 100/100 stop_signal signal=15 target_pid=100")
    for at, thread in ((401, "worker"), (402, "poller"), (403, "main")):
        print("%dms %s exit status=0 is_last_thread=%d" % (at, thread, thread == "main"))


def busy(events):
    """Switches, wakes, calls, faults and samples of twenty threads, most of them in the first request."""
    head(b"server")
    print("3ms main jvm_state state=create\n9ms main jvm_state state=init_end")
    threads = 20
    for thread in range(threads):
        print("2ms main fork child_pid=100 child_tid=%d" % (200 + thread))
        print('2.1ms 100/%d thread_name "pool-%d"' % (200 + thread, thread))
    stacks = Stacks()
    ids = [stacks.stack([(b"java/lang/Thread", b"run")] + [(b"app/C%d" % (i * 7 % 50 + k), b"m") for k in range(20)]) for i in range(200)]
    print('100ms main socket_listen socket=0x10 descriptor=3 port=8080 family=2 "127.0.0.1"')
    print("101ms main socket_ready socket=0x10 descriptor=3 port=8080")
    print('139ms..139ms main socket_accept result=4 socket=0x20 port=8080 peer_port=40000 family=2 "127.0.0.1"')
    print("140ms 0/0 socket_arrival socket=0x20 length=32 port=8080 peer_port=40000")
    print("150ms..151ms worker socket_read result=31 socket=0x20 descriptor=4 flags=accepted port=8080 peer_port=40000 "
          + quote(b"GET /busy HTTP/1.1\r\nHost: a\r\n\r\n"))
    rounds, at, out = max(1, events // 7), 160000000, []
    for number in range(rounds):
        tid = 200 + number % threads
        if number % 5 == 0:
            tid = 101
        out.append("%dns 0/0 wake target=100/%d context=timer" % (at, tid))
        out.append("%dns 100/%d switch_in" % (at + 100, tid))
        out.append("%dns..%dns 100/%d syscall number=%d result=0" % (at + 300, at + 500, tid, number % 200))
        out.append("%dns..%dns 100/%d fault address=%d" % (at + 600, at + 700, tid, 0x70000000 + number * 4096))
        out.append("%dns 100/%d sample period_ns=1us mode=user code=interpreted stack_id=%d" % (at + 800, tid, ids[number % 200]))
        out.append('%dns..%dns 100/%d file_open result=-2 "/srv/%d"' % (at + 820, at + 850, tid, number % 3000))
        out.append("%dns 100/%d switch_out state=interruptible syscall_number=203" % (at + 900, tid))
        at += 1000
        if len(out) > 10000:
            print("\n".join(out))
            out.clear()
    print("\n".join(out))
    end = at + 1000
    print("%dns 0/0 wake target=worker context=timer\n%dns worker switch_in" % (at, at + 100))
    print("%dns..%dns worker socket_write result=40 socket=0x20 descriptor=4 flags=accepted port=8080 peer_port=40000 %s" % (
        end, end + 1000, quote(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")))


def main():
    kind = sys.argv[1]
    if kind == "hostile":
        head(b"java\0-jar\0" + b"\0".join(name[:300] for name in HOSTILE if name))
        service(lambda number: HOSTILE[number % len(HOSTILE)], b"/<script>alert(1)</script>/\"';&")
    elif kind == "plain":
        variant = int(sys.argv[2]) if len(sys.argv) > 2 else 1
        head(b"java\0-jar\0app.jar")
        service(lambda number: b"Part%d" % number, b"/items", variant)
    else:
        busy(int(sys.argv[2]))


main()
