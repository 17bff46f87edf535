#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the occupancy of kernels with the compiler's own figure.

usage: occupancy.py AQUEDUCT CLANG
       occupancy.py AQUEDUCT --hip PROGRAM

The compiler prints how many waves of a kernel it expects on a SIMD. Kernels
that use so many registers, and so much group segment memory in workgroups of
256 work-items, are compiled for each processor; `show --workgroup` has to say
the same. Where scalar registers limit, the compiler may print one more: its
remark reads a table of 80, 88 and 100 registers, but they are allocated in
granules of 16. PROGRAM is occupancy.hip, which prints the figure of HIP. Prints
the number of compared kernels.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROCESSORS = {  # of a device model, and the sizes of a wave
    "gfx900": ("mi25", (64,)), "gfx906": ("mi50", (64,)),
    "gfx908": ("mi100", (64,)), "gfx90a": ("mi210", (64,)),
    "gfx942": ("mi300x", (64,)), "gfx950": ("mi350x", (64,)),
    "gfx1030": ("rx6900xt", (32, 64)), "gfx1100": ("rx7900xtx", (32, 64)),
    "gfx1151": ("gfx1151", (32, 64)), "gfx1201": ("r9700", (32, 64)),
}
VGPRS = (1, 17, 24, 25, 28, 33, 36, 40, 48, 49, 56, 64, 65, 72, 80, 84, 96,
         97, 100, 112, 120, 127, 128, 129, 144, 160, 168, 169, 192, 193, 200,
         240, 256)
SGPRS = (32, 80, 81, 96, 100)
# Without sizes at which the compiler's figure differs by its definition: it
# counts no granules of group segment memory, and two compute units of RDNA as
# one.
LDS = (512, 1024, 2048, 4096, 5000, 8192, 16384, 20000, 65536)
AGPRS = ((8, 8), (30, 100), (64, 64), (128, 5), (200, 40), (256, 256))


def kernels(processor):
    """Name and clobbered registers of each kernel."""
    for n in VGPRS:
        yield f"v{n}", (f"v{n - 1}",)
    for n in SGPRS:
        yield f"s{n}", (f"s{n - 1}",)
    if processor in ("gfx908", "gfx90a", "gfx942", "gfx950"):
        for v, a in AGPRS:
            yield f"a{v}_{a}", (f"v{v - 1}", f"a{a - 1}")


def lds_source():
    return "".join(
        f"static __attribute__((address_space(3), loader_uninitialized)) "
        f"char m{n}[{n}];\n"
        "__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256)))"
        f" void l{n}(void) {{ __asm__ volatile(\"\" :: \"v\"(m{n})); }}\n"
        for n in LDS)


def source(processor, wave):
    text = []
    for name, clobbers in kernels(processor):
        used = ", ".join(f'"{c}"' for c in clobbers)
        text.append(
            "__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size("
            f"{wave}, {wave}))) void {name}(void) "
            f'{{ __asm__ volatile("" ::: {used}); }}\n')
    return "".join(text)


def compiled(clang, processor, wave, path, text):
    """The file of the code, and the compiler's waves by kernel."""
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    both = len(PROCESSORS[processor][1]) > 1
    size = [f"-m{'' if wave == 64 else 'no-'}wavefrontsize64"] if both else []
    said = subprocess.run(
        [clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={processor}", "-O1",
         "-nogpulib", "-nostdlib", "-Wl,--no-undefined",
         "-Rpass-analysis=kernel-resource-usage", *size, path, "-o",
         path + ".hsaco"],
        check=True, capture_output=True, text=True).stderr
    waves, name = {}, None
    for line in said.splitlines():
        found = re.search(r"Function Name: (\w+)", line)
        if found:
            name = found[1]
        found = re.search(r"Occupancy \[waves/SIMD\]: (\d+)", line)
        if found:
            waves[name] = int(found[1])
    return path + ".hsaco", waves


def compare(aqueduct, device, path, workgroup, expected):
    """The number of kernels of a file, and a line for each that differs."""
    rows = json.loads(subprocess.run(
        [aqueduct, "show", path, "--workgroup", str(workgroup), "--device",
         device, "--json"],
        check=True, capture_output=True).stdout)["occupancy"]
    wrong = []
    for row in rows:
        more = expected[row["kernel"]] - (row["waves_per_simd"] or 0)
        if more != 0 and (more != 1 or row["limit"] != "scalar registers"):
            wrong.append(
                f"{device} {row['kernel']} wave{row['wave_size']}: "
                f"{row['waves_per_simd']} by {row['limit']}, the compiler "
                f"{expected[row['kernel']]} ({row['vgprs']} VGPRs, "
                f"{row['agprs']} AGPRs, {row['group_size']} bytes)")
    return len(rows), wrong


def hip(aqueduct, program):
    count, wrong = 0, []
    said = subprocess.run(
        [aqueduct, "exec", "-q", "--device", "mi210", "--", program],
        check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        name, items, lds, groups = line.split()
        rows = json.loads(subprocess.run(
            [aqueduct, "show", program, "--workgroup", items, "--lds", lds,
             "--device", "mi210", "--json"],
            check=True, capture_output=True).stdout)["occupancy"]
        found, = (row for row in rows if name in row["kernel"])
        count += 1
        if str(found["workgroups_per_cu"]) != groups:
            wrong.append(f"HIP: {line}; {found['workgroups_per_cu']} by "
                         f"{found['limit']}")
    return count, wrong


def llvm(aqueduct, clang):
    count, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for processor, (device, sizes) in PROCESSORS.items():
            for wave in sizes:
                for workgroup, text in ((wave, source(processor, wave)),
                                        (256, lds_source())):
                    path, expected = compiled(
                        clang, processor, wave,
                        os.path.join(folder, "kernels.c"), text)
                    more, bad = compare(aqueduct, device, path, workgroup,
                                        expected)
                    count += more
                    wrong += bad
    return count, wrong


def main(aqueduct, *words):
    count, wrong = hip(aqueduct, words[1]) if words[0] == "--hip" else \
        llvm(aqueduct, words[0])
    for line in wrong:
        print(line)
    print(f"{count} kernels, {len(wrong)} differ")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
