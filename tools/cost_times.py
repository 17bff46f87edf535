#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of launch --cost auto, executed and sampled, as multiples of --cost fixed.

usage: cost_times.py AQUEDUCT COSTS.hip

Compiles the kernels for gfx90a (hipcc), dispatches each REPEAT times on a small and
a large grid, and prints a table: the least processor time of five such launches,
less that of one dispatch of one round. The last row is a whole launch.
"""
import os
import resource
import subprocess
import sys
import tempfile

# kernel, work-items, rounds
LAUNCHES = [(kernel, items, factor * rounds)
            for kernel, factor in (("copy", 4), ("arithmetic", 40), ("lds", 2))
            for items, rounds in ((16384, 200), (1048576, 3))]
# All of it is counted.
LAUNCHES += [("lds", 4096, 200), ("copy", 4096, 200), ("gather", 4096, 150)]
BILLION = 1000000000
REPEAT = 20


def children_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_time(command):
    before = children_time()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return children_time() - before


def least(aqueduct, code, store, kernel, items, rounds, cost, repeat=1):
    command = [aqueduct, "launch", code, kernel, "--device", "mi210", "--grid",
               str(items), "--workgroup", "256", "--cost", cost, "--store", store,
               "-q", "--repeat", str(repeat), "--args", "buf:f32[%d]" % items, "out:f32[%d]" % items,
               "u32:%d" % rounds]
    return min(processor_time(command) for _ in range(5))


def main():
    aqueduct, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        code = os.path.join(work, "costs.hsaco")
        store = os.path.join(work, "runs.db")
        subprocess.run(["hipcc", "--offload-arch=gfx90a", "--genco", "-O2", "-o",
                        code, source], check=True)
        print("| kernel | work-items | fixed | auto | executed | sampled |")
        print("|---|---|---|---|---|---|")
        for kernel, items, rounds in LAUNCHES:
            took = [least(aqueduct, code, store, kernel, items, rounds, cost,
                          REPEAT) -
                    least(aqueduct, code, store, kernel, items, 1, cost)
                    for cost in ("fixed", "auto", "executed", "sampled")]
            base = max(took[0], 1e-3)
            print("| %s | %d | %.3f s | %.1f x | %.1f x | %.1f x |"
                  % (kernel, items, *took[:1], *(t / base for t in took[1:])))
        print("| copy | %d | | | | %.2f s |"
              % (BILLION, least(aqueduct, code, store, "copy", BILLION, 1, "sampled")))


if __name__ == "__main__":
    main()
