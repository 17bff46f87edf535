#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Perfetto's trace_processor would count as an error in an exported trace.

  perfetto_check.py FILE...   .pftrace or Chrome JSON; exit 1 if it would count any

An implementation of its own of the published rules (google/perfetto: perfetto_trace.proto,
slice_tracker.cc, flow_tracker.cc, json_utils.cc, stats.h). Events before time 0 are dropped, the others sorted by time, equal
ones as they stand in the file. On a track, slices nest: a JSON slice that begins inside
another and ends behind it is dropped and counted; an end without a slice is misplaced. A flow
starts and ends at an open slice, and starts first. JSON times become whole ns, cut or rounded."""
import json
import struct
import sys
from collections import Counter, defaultdict
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
# Field: (wire type, name); of perfetto_trace.proto, as far as exporters may use it.
SCHEMA = {
    "Trace": {1: (BYTES, "TracePacket")},
    "TracePacket": {6: (BYTES, "ClockSnapshot"), 8: (VARINT, "timestamp"),
                    10: (VARINT, "trusted_packet_sequence_id"), 11: (BYTES, "TrackEvent"),
                    12: (BYTES, "InternedData"), 13: (VARINT, "sequence_flags"),
                    42: (VARINT, "previous_packet_dropped"),
                    58: (VARINT, "timestamp_clock_id"), 60: (BYTES, "TrackDescriptor"),
                    87: (VARINT, "first_packet_on_sequence")},
    "InternedData": {1: (BYTES, "EventCategory"), 2: (BYTES, "EventName"),
                     3: (BYTES, "DebugAnnotationName")},
    "EventCategory": {1: (VARINT, "iid"), 2: (BYTES, "text")},
    "EventName": {1: (VARINT, "iid"), 2: (BYTES, "text")},
    "DebugAnnotationName": {1: (VARINT, "iid"), 2: (BYTES, "text")},
    "TrackEvent": {3: (VARINT, "category_iids"), 4: (BYTES, "DebugAnnotation"),
                   9: (VARINT, "type"), 10: (VARINT, "name_iid"), 11: (VARINT, "track_uuid"),
                   22: (BYTES, "text"), 23: (BYTES, "text"), 30: (VARINT, "counter_value"),
                   44: (FIXED64, "double_counter_value"), 47: (FIXED64, "flow_ids"),
                   48: (FIXED64, "terminating_flow_ids")},
    "DebugAnnotation": {1: (VARINT, "name_iid"), 2: (VARINT, "bool_value"),
                        3: (VARINT, "uint_value"), 4: (VARINT, "int_value"),
                        5: (FIXED64, "double_value"), 6: (BYTES, "text"), 10: (BYTES, "text")},
    "TrackDescriptor": {1: (VARINT, "uuid"), 2: (BYTES, "text"), 3: (BYTES, "ProcessDescriptor"),
                        4: (BYTES, "ThreadDescriptor"), 5: (VARINT, "parent_uuid"),
                        8: (BYTES, "CounterDescriptor")},
    "ProcessDescriptor": {1: (VARINT, "pid"), 6: (BYTES, "text")},
    "ThreadDescriptor": {1: (VARINT, "pid"), 2: (VARINT, "tid"), 5: (BYTES, "text")},
    "CounterDescriptor": {}, "ClockSnapshot": {1: (BYTES, "Clock")},
    "Clock": {1: (VARINT, "clock_id"), 2: (VARINT, "clock_time")},
}
CLEARED, NEEDS = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at
        if shift > 63:
            raise ValueError("a varint of more than 10 bytes")


def decode(data, kind, found):
    """{field: [values]} of a message; unknown fields and wire types are counted."""
    out, at = defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == BYTES:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
            value, at = struct.unpack("<Q" if size == 8 else "<I", data[at:at + size])[0], at + size
        else:
            raise ValueError(f"wire type {wire}")
        if at > len(data):
            raise ValueError(f"{kind} is cut short")
        want = SCHEMA[kind].get(field)
        if not want:
            found[f"{kind}: field {field} is not in the schema"] += 1
        elif want[0] != wire:
            found[f"{kind}.{want[1]}: wire type {wire}"] += 1
        elif want[1] in SCHEMA:
            out[field].append(decode(value, want[1], found))
        else:
            if want[1] == "text":
                value.decode("utf-8")
            out[field].append(value)
    return out


class Tracks:
    """The stacks of open slices, and the flows between slices."""

    def __init__(self, found):
        self.found, self.open, self.flows = found, defaultdict(list), set()
        self.slices = self.flow_ends = self.counters = 0

    def close(self, track, now):
        while self.open[track] and self.open[track][-1] is not None and \
                self.open[track][-1] <= now:
            self.open[track].pop()

    def begin(self, track):
        self.open[track].append(None)
        self.slices += 1

    def end(self, track):
        if not self.open[track]:
            self.found["misplaced_end_event"] += 1
        else:
            self.open[track].pop()

    def complete(self, track, begin, end):
        self.close(track, begin)
        if self.open[track] and self.open[track][-1] < end:
            self.found["slice_drop_overlapping_complete_event"] += 1
            return
        self.open[track].append(end)
        self.slices += 1

    def flow(self, track, ident, ends):
        if not self.open[track]:
            self.found["flow_no_enclosing_slice"] += 1
        elif ends and ident not in self.flows:
            self.found["flow_end_without_start"] += 1
        elif not ends and ident in self.flows:
            self.found["flow_duplicate_id"] += 1
        self.flow_ends += ends
        if not ends:
            self.flows.add(ident)


class Sequence:
    def __init__(self):
        self.valid, self.names, self.annotations = False, set(), set()


def packet_read(packet, sequences, tracks, known, events, found):
    sequence = sequences[packet[10][0] if packet[10] else 0]
    flags = packet[13][0] if packet[13] else 0
    if flags & CLEARED:
        sequence.__init__()
        sequence.valid = True
    if flags & NEEDS and not sequence.valid:
        found["tokenizer_skipped_packets"] += 1
        return
    for interned in packet[12]:
        sequence.names |= {entry[1][0] for entry in interned[2]}
        sequence.annotations |= {entry[1][0] for entry in interned[3]}
    for track in packet[60]:
        uuid = track[1][0]
        if track[5] and track[5][0] not in known:
            found["a track before its parent"] += 1
        known[uuid] = "counter" if track[8] else "slices"
    for event in packet[11]:
        uuid, kind = event[11][0], event[9][0]
        if not packet[8]:
            found["track_event_tokenizer_errors: no timestamp"] += 1
            continue
        if known.get(uuid) != ("counter" if kind == COUNTER else "slices"):
            found["an event on a track that is not there, or of the other kind"] += 1
        if kind == BEGIN and not event[23] and not set(event[10]) <= sequence.names:
            found["interned_data_tokenizer_errors: name"] += 1
        for annotation in event[4]:
            if not annotation[10] and not set(annotation[1]) <= sequence.annotations:
                found["interned_data_tokenizer_errors: annotation"] += 1
        events.append((packet[8][0], uuid, kind, event))


def perfetto_read(data, found):
    tracks, known, events = Tracks(found), {}, []
    sequences = defaultdict(Sequence)
    for packet in decode(data, "Trace", found)[1]:
        packet_read(packet, sequences, tracks, known, events, found)
    for now, track, kind, event in sorted(events, key=lambda e: e[0]):
        if kind == BEGIN:
            tracks.begin(track)
            for ident in event[47]:
                tracks.flow(track, ident, False)
            for ident in event[48]:
                tracks.flow(track, ident, True)
        elif kind == END:
            tracks.end(track)
        elif kind == COUNTER:
            tracks.counters += 1
        if now >= 1 << 63:
            found["a timestamp out of range"] += 1
    left = sum(len(stack) for stack in tracks.open.values())
    if left:
        found["slices that do not end"] += left
    return tracks


def ns_of(value, rounding):
    return int((Decimal(value) * 1000).quantize(Decimal(1), rounding=rounding))


def json_read(data, found, rounding):
    tracks, events = Tracks(found), []
    document = json.loads(data, parse_float=str, parse_int=str)
    for event in document["traceEvents"]:
        phase = event["ph"]
        if phase == "M":
            if event["name"] not in ("process_name", "thread_name", "trace_end"):
                found[f"metadata {event['name']}"] += 1
            elif event["name"] != "trace_end" and not event["args"]["name"]:
                found["a track without a name"] += 1
        elif phase in ("X", "s", "f", "C"):
            if event["ts"].startswith("-"):
                found["trace_sorter_negative_timestamp_dropped"] += 1
            events.append((ns_of(event["ts"], rounding), event))
        else:
            found[f"phase {phase}"] += 1
    for now, event in sorted(events, key=lambda e: e[0]):
        track = event["pid"], event["tid"]
        if event["ph"] == "X":
            lasts = ns_of(event["dur"], rounding)
            if lasts < 0 or not event["name"]:
                found["json_parser_failure"] += 1
            tracks.complete(track, now, now + lasts)
        elif event["ph"] == "C":
            tracks.counters += 1
            int(event["args"]["value"])
        else:
            tracks.flow(track, (event["cat"], event["name"], event["id"]), event["ph"] == "f")
    return tracks


def main():
    failed = False
    for path in sys.argv[1:]:
        found = Counter()
        with open(path, "rb") as file:
            data = file.read()
        if data[:1] == b"{":
            rounded = Counter()
            tracks = json_read(data.decode("utf-8"), found, ROUND_FLOOR)
            json_read(data.decode("utf-8"), rounded, ROUND_HALF_EVEN)
            found |= rounded
        else:
            tracks = perfetto_read(data, found)
        print(f"{path.rsplit('/', 1)[-1]}: {tracks.slices} slices, {tracks.flow_ends} flows, "
              f"{tracks.counters} counts; errors: {dict(found) or 'none'}")
        failed |= bool(found) or tracks.slices == 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
