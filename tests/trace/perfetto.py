# SPDX-License-Identifier: MIT
"""Writes Perfetto traces as Perfetto's own library does for AMD's profilers, and
checks what was imported of them.

  perfetto.py write STYLE CALLS TRACE ROWS  STYLE: rocprofv3, lost, packed, or of STYLES
  perfetto.py check ROWS EXPORT.csv         expected against imported rows

Field numbers: perfetto_trace.proto of google/perfetto. Names of categories,
tracks and annotations: rocprofiler-sdk (generatePerfetto.cpp) and
rocprofiler-systems (perfetto_processor.cpp). Times are ns.
"""
import csv
import json
import random
import struct
import sys
import zlib

NONE = -(1 << 63)
BOOT, MONOTONIC, LOCAL, ABSOLUTE = 6, 3, 64, 65
CLEARED, NEEDS = 1, 2
BEGIN, END, COUNTER = 1, 2, 4


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    body = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


class Sequence:
    """One thread's packets: interned texts, and times as differences."""

    def __init__(self, trace, ident, track, clock=LOCAL, unit=1, base=BOOT):
        self.trace, self.ident, self.track = trace, ident, track
        self.clock, self.unit, self.base = clock, unit, base
        self.fresh = True

    def packet(self, *parts, flags=NEEDS, dropped=False):
        self.trace.packets.append(
            message(1, *parts, number(10, self.ident), number(13, flags),
                    number(42, 1) if dropped or self.fresh else b"",
                    number(87, 1) if self.fresh else b""))
        self.fresh = False

    def clear(self, now, dropped=False):
        """New ids, a new base of the sequence's clock, and defaults."""
        self.ids, self.last = {}, now // self.unit * self.unit
        self.shift = now - self.last # of the clock, which the snapshot shows
        defaults = message(11, number(11, self.track))
        clocks = b""
        if self.clock == LOCAL:
            defaults += number(58, LOCAL)
            clocks = message(
                6, message(1, number(1, self.base), number(2, now)),
                message(1, number(1, LOCAL), number(2, now // self.unit),
                        number(3, 1), number(4, self.unit)),
                message(1, number(1, ABSOLUTE), number(2, now // self.unit),
                        number(4, self.unit)))
        elif self.clock != BOOT:
            defaults += number(58, self.clock)
        self.packet(clocks, message(59, defaults), flags=CLEARED,
                    dropped=dropped)

    def time(self, at):
        """The fields of a packet's time, as Perfetto's library chooses them."""
        if self.clock != LOCAL:
            return number(8, at)
        if at >= self.last:
            steps = (at - self.last) // self.unit
            self.last += steps * self.unit
            return number(8, steps)
        if self.unit == 1:
            return number(8, at) + number(58, self.base)
        return number(8, at // self.unit) + number(58, ABSOLUTE)

    def rounded(self, at):
        """The time that a reader finds."""
        if self.clock != LOCAL:
            return at
        return self.last + (at - self.last) // self.unit * self.unit + \
            self.shift

    def intern(self, kind, text, new):
        """kind: the field of InternedData."""
        if (kind, text) not in self.ids:
            self.ids[kind, text] = len(self.ids) + 1
            new.append(message(kind, number(1, self.ids[kind, text]),
                               message(2, text)))
        return self.ids[kind, text]

    def annotation(self, name, value, new, inline):
        part = message(10, name) if inline else \
            number(1, self.intern(3, name, new))
        if isinstance(value, str):
            part += number(17, self.intern(29, value, new)) \
                if len(value) % 2 else message(6, value)
        else:
            part += number(3, value)
        return message(4, part)

    def begin(self, at, category, name, track=None, flow=None, inline=False,
              **annotations):
        new, event = [], []
        event.append(message(22, category) if inline else
                     number(3, self.intern(1, category, new)))
        for key, value in annotations.items():
            event.append(self.annotation(key, value, new, inline))
        event.append(number(9, BEGIN))
        event.append(message(23, name) if inline else
                     number(10, self.intern(2, name, new)))
        if track is not None:
            event.append(number(11, track))
        if flow is not None:
            event.append(varint(47 << 3 | 1) + struct.pack("<Q", flow))
        interned = message(12, *new) if new else b""
        self.packet(self.time(at), interned, message(11, *event))

    def end(self, at, track=None):
        self.packet(self.time(at), message(
            11, number(9, END), number(11, track) if track else b""))

    def describe(self, uuid, name=None, parent=None, pid=None, tid=None,
                 at=None):
        owner = b""
        if tid is not None:
            owner = message(4, number(1, pid), number(2, tid))
        elif pid is not None:
            owner = message(3, number(1, pid), message(6, "program"))
        self.packet(b"" if at is None else self.time(at),
                    message(60, number(1, uuid),
                            message(2, name) if name else b"",
                            number(5, parent) if parent else b"", owner))


class Trace:
    def __init__(self, calls):
        self.random, self.calls = random.Random(calls), calls
        self.packets, self.rows = [], []
        self.correlation = 0

    def row(self, kind, name, **fields):
        self.rows.append({"kind": kind, "name": name, **fields})
        return self.rows[-1]

    def launch(self):
        self.correlation += 1
        return self.correlation


PROCESS, MAIN = 0x9000, 0x9001


def rocprofv3(trace, lost=False):
    """All at the end of the program, by one thread, each slice with its end.

    lost: the buffer drops the packets of some rows; what follows lacks its
    names until the thread writes them again; and one name is never written."""
    rand, now = trace.random, 5_000_000_000_000
    seq = Sequence(trace, 3, MAIN)
    seq.clear(now)
    seq.describe(MAIN, parent=PROCESS, pid=4242, tid=4242)
    seq.describe(PROCESS, pid=4242)
    threads = {4242: MAIN, 4243: 4243}
    seq.describe(4243, "THREAD 1 (4243)", PROCESS)
    compute, copy = {}, {}
    for agent in (2, 3):
        for stream in (0, 5):
            name = f"AGENT [{agent}] STREAM [{stream}] (GPU)"
            compute[agent, stream] = 0x5000 + agent * 64 + stream * 2
            copy[agent, stream] = compute[agent, stream] + 1
            seq.describe(compute[agent, stream], "COMPUTE " + name, PROCESS)
            seq.describe(copy[agent, stream], "COPY to " + name, PROCESS)
    copy[0, 0] = 0x7777
    seq.describe(0x7777, "COPY to AGENT [0] STREAM [0] (CPU)", PROCESS)

    at, calls, later = now - 40_000_000_000, [], []
    for i in range(trace.calls):
        corr, tid = trace.launch(), rand.choice(list(threads))
        at += rand.randint(1000, 90_000)
        host = (at, at + rand.randint(500, 9000))
        start = host[1] + rand.randint(100, 50_000)
        end = start + rand.randint(900, 200_000)
        agent, stream = rand.choice((2, 3)), rand.choice((0, 5))
        if i % 11 == 10:
            name = rand.choice(("hipDeviceSynchronize", "hipStreamSynchronize"))
            trace.row("wait", name, host=host, pid=4242, tid=tid,
                      correlation=corr)
        elif i % 5 == 4:
            up = rand.random() < 0.5
            name = "hipMemcpyAsync"
            row = trace.row(
                "copy",
                "MEMORY_COPY_HOST_TO_DEVICE" if up else
                "MEMORY_COPY_DEVICE_TO_HOST",
                span=(start, end), host=host, pid=4242, tid=tid,
                stream=stream if up else 0, correlation=corr,
                bytes=rand.randint(1, 1 << 30), agent=agent)
            later.append((row, copy[agent, stream] if up else copy[0, 0],
                          "Agent-0" if up else f"Agent-{agent}",
                          f"Agent-{agent}" if up else "Agent-0"))
        else:
            name = "hipLaunchKernel"
            wg = rand.choice((64, 256, 1024))
            row = trace.row(
                "kernel", rand.choice(("void gemm<float, 64>(float*)",
                                       "relu", "sum_1")),
                span=(start, end), host=host, pid=4242, tid=tid,
                stream=stream, correlation=corr, lds=rand.choice((0, 4096)),
                scratch=rand.choice((0, 16)), wg=(wg, 1, 1), agent=agent,
                grid=(wg * rand.randint(1, 999), 1, 1),
                queue=rand.choice((1, 2)))
            later.append((row, compute[agent, stream], None, None))
        calls.append((name, host, tid, corr))
    for name, host, tid, corr in calls:
        seq.begin(host[0], "hip_api", name, threads[tid], corr ^ PROCESS,
                  begin_ns=host[0], end_ns=host[1],
                  delta_ns=host[1] - host[0], tid=tid, kind=10,
                  operation=7, corr_id=corr)
        seq.end(host[1], threads[tid])
    span = (calls[0][1][0] - 500, calls[-1][1][1] + 500)
    trace.row("range", "iteration 7", host=span, pid=4242, tid=4242)
    seq.begin(span[0], "marker_api", "iteration 7", MAIN, tid=4242, corr_id=99)
    seq.end(span[1], MAIN)
    gap = (len(later) // 3, len(later) // 2, len(later) * 2 // 3)
    for i, (row, track, source, destination) in enumerate(later):
        begin, end = row["span"]
        if lost and i == gap[0]:
            kept = len(trace.packets)
        if lost and i == gap[1]:
            del trace.packets[kept:]
            seq.packet(dropped=True)
        if lost and i == gap[2]:
            seq.clear(now)
        if lost:
            row["lost"] = gap[0] <= i < gap[2]
        if lost and i + 1 == len(later):
            row["lost"] = True
            seq.ids[2, row["name"]] = 1 << 20
        if row["kind"] == "copy":
            seq.begin(begin, "memory_copy", row["name"], track,
                      row["correlation"] ^ PROCESS, begin_ns=begin,
                      end_ns=end, kind=12, operation=2, src_agent=source,
                      dst_agent=destination, copy_bytes=row["bytes"],
                      corr_id=row["correlation"], tid=row["tid"])
        else:
            seq.begin(begin, "kernel_dispatch", row["name"], track,
                      row["correlation"] ^ PROCESS, begin_ns=begin,
                      end_ns=end, kind=11, agent=f"Agent-{row['agent']}",
                      corr_id=row["correlation"], queue=row["queue"],
                      tid=row["tid"], kernel_id=3,
                      private_segment_size=row["scratch"],
                      group_segment_size=row["lds"],
                      workgroup_size=row["wg"][0], grid_size=row["grid"][0])
        seq.end(end, track)
    if lost:
        stats = message(35, message(1, number(18, 3)), message(1, number(3, 4)))
        trace.packets.append(message(1, number(10, 1), stats))


def systems(trace):
    """As it happens, by several threads, calls inside of functions; streams
    have a track each; a clock in microseconds, and one of another kind."""
    rand, boot = trace.random, 9_000_000_000_000
    shift = 123_456_789 # BOOTTIME - MONOTONIC
    threads = [(20, 0x100, LOCAL, 1000, BOOT), (21, 0x101, MONOTONIC, 1, BOOT),
               (22, 0x102, LOCAL, 1, MONOTONIC)]
    trace.packets.append(message(1, number(10, 1), message(
        6, message(1, number(1, BOOT), number(2, boot)),
        message(1, number(1, MONOTONIC), number(2, boot - shift)))))
    host = []
    for tid, track, clock, unit, base in threads:
        seq = Sequence(trace, tid, track, clock, unit, base)
        seq.offset = 0 if clock == LOCAL and base == BOOT else shift
        seq.clear(boot - seq.offset)
        seq.describe(track, parent=PROCESS, pid=77, tid=tid)
        seq.describe(PROCESS, pid=77)
        host.append((tid, track, seq))
    device = Sequence(trace, 30, 0x200)
    device.clear(boot)
    device.describe(0x300, "HIP Activity Stream 1", PROCESS)
    device.describe(0x301, "GPU Kernel Dispatch [0] Queue 4", PROCESS)
    device.describe(0x302, "GPU Memory Copy to Agent [1] Thread 0", PROCESS)
    at = boot
    for i in range(trace.calls):
        tid, track, seq = rand.choice(host)
        corr = trace.launch()
        if i % 25 == 24:
            seq.clear(at - seq.offset)
        at += rand.randint(5000, 90_000)
        local = at - seq.offset
        if i % 10 == 3: # the next time is a difference to this one's
            seq.describe(track, parent=PROCESS, pid=77, tid=tid, at=local)
        seq.begin(local, "host", "main_loop", inline=i % 2 == 1)
        begin = local + rand.randint(1000, 4000)
        call = (seq.rounded(begin), 0)
        seq.begin(begin, "rocm_hip_api", "hipModuleLaunchKernel", None,
                  corr ^ PROCESS, i % 3 == 0, begin_ns=begin, corr_id=corr,
                  stream="0x55d0")
        finish = begin + rand.randint(2000, 9000)
        call = (call[0] + seq.offset, seq.rounded(finish) + seq.offset)
        seq.end(finish)
        seq.end(finish + 1000)
        at = finish + seq.offset
        start = at + rand.randint(2000, 70_000)
        span = (start, start + rand.randint(1000, 90_000))
        kind = ("kernel", "queue kernel", "copy", "scratch")[i % 4]
        if kind == "scratch":
            device.begin(span[0], "rocm_hip_stream", "SCRATCH_MEMORY_ALLOC",
                         0x300, allocation_size=4096, corr_id=10_000 + i)
            device.end(span[1], 0x300)
            trace.row("kernel", "hipModuleLaunchKernel", host=call, pid=77,
                      tid=tid, correlation=corr, lost=True)
        elif kind == "copy":
            trace.row("copy", "MEMORY_COPY_DEVICE_TO_DEVICE", span=span,
                      host=call, pid=77, tid=tid, stream=1,
                      correlation=corr, bytes=1 << 20, agent=1)
            device.begin(span[0], "rocm_hip_stream",
                         "MEMORY_COPY_DEVICE_TO_DEVICE", 0x300, corr ^ PROCESS,
                         begin_ns=span[0], end_ns=span[1], corr_id=corr,
                         stream_id=1, bytes=1 << 20, src_agent_id=1,
                         dst_agent_id=1)
            device.end(span[1], 0x300)
        else:
            queued = kind == "queue kernel"
            wg, grid = (16, 4, 2), (64 * rand.randint(1, 9), 8, 4)
            trace.row("kernel", "vecadd(int*)", span=span, host=call, pid=77,
                      tid=tid, stream=0 if queued else 1, correlation=corr,
                      lds=128, scratch=0, wg=wg, grid=grid, queue=4, agent=0)
            device.begin(span[0], "rocm_kernel_dispatch" if queued else
                         "rocm_hip_stream", "vecadd(int*)",
                         0x301 if queued else 0x300, corr ^ PROCESS,
                         i % 5 == 0, begin_ns=span[0], end_ns=span[1],
                         corr_id=corr, stream_id=0 if queued else 1, queue=4,
                         dispatch_id=i, kernel_id=9, private_segment_size=0,
                         group_segment_size=128,
                         workgroup_size="(%d,%d,%d)" % wg,
                         grid_size="(%d,%d,%d)" % grid)
            device.end(span[1], 0x301 if queued else 0x300)


def shared(trace):
    """Several sequences write slices of one track. One may end what another
    began, but not behind lost packets: its own begin may be among them."""
    now = 5_000_000_000
    one, two = Sequence(trace, 1, MAIN), Sequence(trace, 2, MAIN)
    one.clear(now)
    two.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)

    def row(kind, name, host, **fields):
        trace.row(kind, name, pid=7, tid=8,
                  host=tuple(now + at for at in host), **fields)

    corr = trace.launch()
    row("kernel", "k", (100, 200), span=(now + 300, now + 400),
        correlation=corr)
    one.begin(now + 100, "hip_api", "hipLaunchKernel", MAIN, corr_id=corr)
    one.end(now + 200, MAIN)
    one.begin(now + 300, "kernel_dispatch", "k", MAIN, corr_id=corr,
              agent="Agent-2", queue=1)
    one.end(now + 400, MAIN)
    row("range", "handed over", (500, 600))
    one.begin(now + 500, "marker_api", "handed over", MAIN)
    two.end(now + 600, MAIN)
    row("range", "around", (1000, 2000))
    one.begin(now + 1000, "marker_api", "around", MAIN)
    two.begin(now + 1100, "marker_api", "cut", MAIN)
    two.clear(now + 1200, dropped=True)
    two.end(now + 1300, MAIN)
    one.end(now + 2000, MAIN)
    row("range", "around a slice without a name", (3000, 4000))
    one.begin(now + 3000, "marker_api", "around a slice without a name", MAIN)
    one.ids[2, "never written"] = 1 << 20
    one.begin(now + 3100, "marker_api", "never written", MAIN)
    one.end(now + 3200, MAIN)
    one.end(now + 4000, MAIN)


def big(trace):
    """Numbers of 64 bits and more, in a text and as a number, and the largest
    that a field holds."""
    now = 5_000_000_000
    one = Sequence(trace, 1, MAIN)
    one.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    for i, (want, annotations) in enumerate([
            ({"wg": (64, 1, 1)}, {"grid_size": f"(4,{1 << 64},1)", "workgroup_size": "(64,1,1)",
                                  "group_segment_size": 1 << 63}),
            ({"lds": 1 << 40, "grid": (1, 1, 1), "wg": (1, 1, 1)},
             {"grid_size": "(1,1,1)", "workgroup_size": "(1,1,1)",
              "group_segment_size": 1 << 40})]):
        at, corr = now + 1000 * i, trace.launch()
        trace.row("kernel", f"k{i}", pid=7, tid=8, host=(at + 100, at + 200),
                  span=(at + 300, at + 400), correlation=corr, **want)
        one.begin(at + 100, "hip_api", "hipLaunchKernel", MAIN, corr_id=corr)
        one.end(at + 200, MAIN)
        one.begin(at + 300, "kernel_dispatch", f"k{i}", MAIN, corr_id=corr,
                  agent="Agent-2", queue=1, **annotations)
        one.end(at + 400, MAIN)


class Stamped(Sequence):
    """Its packets name their clock (0: as if they named none)."""

    def clear(self, now, dropped=False):
        self.ids = {}
        self.packet(message(59, message(11, number(11, self.track))),
                    flags=CLEARED)

    def time(self, at):
        return number(8, at) + number(58, self.clock)


def launch(trace, seq, at, write=lambda at: at):
    """A call at `at`, with its kernel; `write`: to the clock of the sequence."""
    corr = trace.launch()
    trace.row("kernel", f"k{corr}", pid=7, tid=8, host=(at, at + 100),
              span=(at + 300, at + 400), correlation=corr)
    seq.begin(write(at), "hip_api", "hipLaunchKernel", MAIN, corr_id=corr)
    seq.end(write(at + 100), MAIN)
    seq.begin(write(at + 300), "kernel_dispatch", f"k{corr}", MAIN,
              corr_id=corr, agent="Agent-2", queue=1)
    seq.end(write(at + 400), MAIN)


def clocks(trace):
    """The trace's clock is MONOTONIC, and BOOTTIME runs ahead of it by more
    behind a suspend: a time before that is moved by the reading before that,
    though both are in front of it in the file."""
    first, second = 1_000_000_000_000, 1_010_000_000_000
    ahead = (5_000_000_000, 65_000_000_000)
    for at, more in zip((first, second), ahead):
        trace.packets.append(message(1, number(10, 1), message(
            6, message(1, number(1, BOOT), number(2, at + more)),
            message(1, number(1, MONOTONIC), number(2, at)),
            number(2, MONOTONIC))))
    plain, boot = Stamped(trace, 2, MAIN, 0), Stamped(trace, 3, MAIN, BOOT)
    plain.clear(first)
    boot.clear(first)
    plain.describe(PROCESS, pid=7)
    plain.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    for i in range(trace.calls):
        at = first + (second - first) * 2 * i // trace.calls + i
        if i % 2:
            launch(trace, plain, at)
        else:
            launch(trace, boot, at,
                   lambda at: at + ahead[at >= second])


def steps(trace):
    """A clock in microseconds, and times in front of its last snapshot, which
    the snapshot before that converts."""
    now = 5_000_000_000_300
    one = Sequence(trace, 1, MAIN, unit=1000)
    one.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    second = now + 999_700
    one.clear(second)
    trace.row("kernel", "k", pid=7, tid=8, correlation=trace.launch(),
              host=(now + 900_000, now + 950_000),
              span=(second + 200_000, second + 300_000))
    one.begin(now + 900_000, "hip_api", "hipLaunchKernel", MAIN, corr_id=1)
    one.end(now + 950_000, MAIN)
    one.begin(second + 200_000, "kernel_dispatch", "k", MAIN, corr_id=1,
              agent="Agent-2", queue=1)
    one.end(second + 300_000, MAIN)


def headless(trace):
    """The tracing buffer lost the begin of a sequence: its texts survived, what
    its times are differences to did not."""
    now = 5_000_000_000_000
    one = Sequence(trace, 1, MAIN)
    one.clear(now)
    trace.packets.clear()
    launch(trace, one, now + 1000)
    trace.rows.clear()
    one.clear(now + 5000)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    launch(trace, one, now + 6000)


def others(trace):
    """What is no work of a GPU: a slice, an instant, two values of a counter,
    and an event of the old kind, without a type."""
    now = 5_000_000_000
    one = Sequence(trace, 1, MAIN)
    one.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    launch(trace, one, now + 100)
    one.begin(now + 600, "host", "main", MAIN)
    one.end(now + 700, MAIN)
    for event in (number(9, 3), number(9, COUNTER) + number(30, 4),
                  number(9, COUNTER) + number(30, 5), message(6, number(2, 88))):
        one.packet(one.time(now + 800), message(11, event, number(11, MAIN)))


def trackless(trace):
    """A slice of no track, on a sequence without defaults."""
    now = 5_000_000_000
    one = Sequence(trace, 1, MAIN)
    one.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    launch(trace, one, now + 100)
    for at, event in ((900, (message(22, "kernel_dispatch"), number(9, BEGIN),
                             message(23, "nowhere"))), (950, (number(9, END),))):
        trace.packets.append(message(1, number(8, now + at), number(10, 9),
                                     number(13, 1), number(58, 6), message(11, *event)))


def beheaded(trace):
    """A sequence whose first packets are lost ends a slice that another one
    does not know; the slice around that is another sequence's."""
    now = 5_000_000_000
    one = Sequence(trace, 1, MAIN)
    one.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    launch(trace, one, now + 100)
    trace.row("kernel", "k", pid=7, tid=8, correlation=trace.launch(),
              host=(now + 600, now + 700), span=(now + 800, now + 900))
    one.begin(now + 600, "hip_api", "hipLaunchKernel", MAIN, corr_id=2)
    trace.packets.append(message(1, number(8, now + 650), number(10, 2), number(42, 1),
                                 number(58, BOOT),
                                 message(11, number(9, END), number(11, MAIN))))
    one.end(now + 700, MAIN)
    one.begin(now + 800, "kernel_dispatch", "k", MAIN, corr_id=2,
              agent="Agent-2", queue=1)
    one.end(now + 900, MAIN)


def back(trace):
    """MONOTONIC goes back, and a snapshot lacks the trace's clock, BOOTTIME."""
    now = 5_000_000_000
    for at, clock in ((now, 900), (now + 1000, 500), (None, 600)):
        trace.packets.append(message(1, number(10, 1), message(
            6, message(1, number(1, BOOT), number(2, at)) if at else b"",
            message(1, number(1, MONOTONIC), number(2, clock)))))
    one = Stamped(trace, 2, MAIN, MONOTONIC)
    one.clear(now)
    one.describe(PROCESS, pid=7)
    one.describe(MAIN, parent=PROCESS, pid=7, tid=8)
    launch(trace, one, now + 2000, lambda at: at - now - 500)


STYLES = {"systems": systems, "shared": shared, "big": big, "clocks": clocks,
          "steps": steps, "headless": headless, "others": others,
          "trackless": trackless, "beheaded": beheaded, "back": back}


def pack(trace):
    """As compression_type of a trace's configuration does."""
    half = len(trace.packets) // 2
    trace.packets = [message(1, number(10, 1), message(50, zlib.compress(
        b"".join(packets)))) for packets in (trace.packets[:half],
                                             trace.packets[half:])]


def write(style, calls, path, rows_path):
    trace = Trace(calls)
    if style in STYLES:
        STYLES[style](trace)
    else:
        rocprofv3(trace, style == "lost")
    if style == "packed":
        pack(trace)
    with open(path, "wb") as out:
        out.write(b"".join(trace.packets))
    with open(rows_path, "w", encoding="utf-8") as out:
        json.dump(trace.rows, out, indent=0)


def check(rows_path, export_path):
    with open(rows_path, encoding="utf-8") as text:
        want = json.load(text)
    with open(export_path, encoding="utf-8", newline="") as text:
        got = list(csv.DictReader(text))
    zero_want = min(t[0] for r in want for t in (r.get("span"), r.get("host"))
                    if t)
    zero_got = min(int(r[k]) for r in got for k in ("start", "host_begin")
                   if r[k])

    def at(value):
        return (value - zero_want) * 1000

    def expected(row):
        span, host = row.get("span"), row.get("host")
        out = {"kind": row["kind"], "name": row["name"]}
        if span:
            out["start"], out["end"] = at(span[0]), at(span[1])
        out["host_begin"], out["host_end"] = at(host[0]), at(host[1])
        for key in ("pid", "tid", "stream", "correlation", "lds", "scratch",
                    "bytes"):
            out[key] = row.get(key, "")
        for i, axis in enumerate("xyz"):
            for key in ("grid", "wg"):
                out[f"{key}_{axis}"] = row[key][i] if key in row else ""
        return out

    def imported(row, keys):
        times = ("start", "end", "host_begin", "host_end")
        return {k: int(row[k]) - zero_got if k in times and row[k] else
                row[k] for k in keys}

    # A launch without a record of its kernel is a row of its own.
    want = [r for r in want if not r.get("lost")]
    got = [r for r in got if int(r["flags"] or 0) & LOST == 0]
    left = {}
    for row in got:
        left.setdefault((row["kind"], row["name"], row["correlation"]),
                        []).append(row)
    wrong, devices = 0, {}
    for row in want:
        agent = row.get("agent")
        row = {k: str(v) for k, v in expected(row).items()}
        found = left.get((row["kind"], row["name"], row["correlation"]))
        have = found.pop() if found else {}
        if agent is not None:
            devices.setdefault(agent, set()).add(have.get("device"))
        have = {k: str(v) for k, v in imported(have, row).items()} \
            if have else "nothing"
        if have != row:
            wrong += 1
            print("# want", row)
            print("# have", have)
    for agent, ordinals in devices.items():
        if len(ordinals) != 1:
            wrong += 1
            print("# agent", agent, "is several devices:", ordinals)
    more = sum(map(len, left.values()))
    print(len(want), "rows,", wrong, "wrong,", more, "more")
    return wrong + more > 0


LOST = 256

if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
    else:
        sys.exit(check(sys.argv[2], sys.argv[3]))
