#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time of a kernel of a chain by device model and way of launching, as a table.

usage: chain_docs.py AQUEDUCT
"""
import json
import subprocess
import sys

rows = json.loads(subprocess.run([sys.argv[1], "chain", "--json"], check=True,
                                 capture_output=True).stdout)["chains"]
ways = list(dict.fromkeys(row["strategy"] for row in rows))
first = rows[0]
print(f"Microseconds a kernel, in a chain of {first['length']} kernels of "
      f"{float(first['kernel_ns']) / 1000:g} us:\n")
print("| device | constants |" + "".join(f" {way} |" for way in ways))
print("|---|---|" + "---|" * len(ways))
notes = []
for device in dict.fromkeys(row["device"] for row in rows):
    cells = []
    for row in (r for r in rows if r["device"] == device):
        if row["refused"]:
            notes.append(f"{device}, {row['strategy']}: {row['refused']}")
        cells.append("–" if row["refused"] else f"{row['us_a_kernel']:.3f}")
    constants = next(r for r in rows if r["device"] == device)["constants"]
    print(f"| {device} | {constants} | " + " | ".join(cells) + " |")
for note in notes:
    print(f"\n{note}.")
