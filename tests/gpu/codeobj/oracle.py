# SPDX-License-Identifier: MIT
"""Compares `aqueduct show LIBRARY --json` with llvm-readobj: every entry of
every bundle in .hip_fatbin, every kernel of its metadata, in order.

usage: oracle.py AQUEDUCT READELF READOBJ LIBRARY ENTRIES
Looks at ENTRIES entries with code at most; prints the kernels compared."""
import json
import re
import struct
import subprocess
import sys
import tempfile

aqueduct, readelf, readobj, library, most = sys.argv[1:]
KEYS = {".kernarg_segment_size": "kernarg_size",
        ".kernarg_segment_align": "kernarg_align",
        ".group_segment_fixed_size": "group_size",
        ".private_segment_fixed_size": "private_size",
        ".max_flat_workgroup_size": "workgroup_max",
        ".wavefront_size": "wave_size", ".sgpr_count": "sgprs",
        ".vgpr_count": "vgprs", ".agpr_count": "agprs", ".name": "name",
        ".symbol": "symbol"}


def section(path):
    out = subprocess.run([readelf, "-SW", path], capture_output=True,
                         text=True, check=True).stdout
    fields = re.search(r"\.hip_fatbin\s+PROGBITS\s+(\S+) (\S+) (\S+)", out)
    with open(path, "rb") as file:
        file.seek(int(fields[2], 16))
        return file.read(int(fields[3], 16))


def entries(data):
    magic, at = b"__CLANG_OFFLOAD_BUNDLE__", 0
    while (at := data.find(magic, at)) >= 0:
        count, place, end = struct.unpack_from("<Q", data, at + 24)[0], at + 32, 0
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, place)
            name = data[place + 24:place + 24 + length].decode()
            place += 24 + length
            end = max(end, offset + size)
            yield name, data[at + offset:at + offset + size]
        at += max(end, 24)


def kernels(code):
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        text = subprocess.run([readobj, "--notes", file.name],
                              capture_output=True, text=True, check=True).stdout
    text = text.split("amdhsa.kernels:")[1].split("\namdhsa.")[0]
    for part in re.split(r"\n  - ", text)[1:]:
        lines = ("    " + part).split("\n")
        kernel = {"arguments": []}
        for line in lines:
            key = re.match(r"    (\.\w+): +(.*)", line)
            if key and key[1] in KEYS:
                value = key[2].strip("'")
                kernel[KEYS[key[1]]] = int(value) if value.isdigit() else value
            arg = re.match(r"      (?:- |  )(\.\w+): +(.*)", line)
            if line.startswith("      - ."):
                kernel["arguments"].append({})
            if arg and kernel["arguments"]:
                kernel["arguments"][-1][arg[1]] = arg[2].strip("'")
        yield kernel


shown = json.loads(subprocess.run([aqueduct, "show", library, "--json"],
                                  capture_output=True, check=True).stdout)
ours = shown["code_objects"]
data = section(library)
theirs = list(entries(data))
assert [o["entry"] for o in ours] == [name for name, _ in theirs], "entries"
compared = looked = 0
for our, (name, code) in zip(ours, theirs):
    if not code or looked == int(most):
        continue
    looked += 1
    assert our["target"] == name.split("--")[1], name
    expected = list(kernels(code))
    assert len(expected) == len(our["kernels"]), name
    for a, b in zip(our["kernels"], expected):
        for key in KEYS.values():
            assert a[key] == b.get(key, 0), (name, a["name"], key)
        args = [(str(x["offset"]), str(x["size"]), x["kind"])
                for x in a["arguments"]]
        wanted = [(x[".offset"], x[".size"], x[".value_kind"])
                  for x in b["arguments"]]
        assert args == wanted, (name, a["name"], args, wanted)
        compared += 1
print(compared)
