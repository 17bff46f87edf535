#!/bin/sh
# SPDX-License-Identifier: MIT
# Executables and libraries with code objects: found, chosen by target, joined
# to one plug-in; and read as llvm-readobj reads them.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
code=$srcdir/doc/examples/kernels/device-gfx90a.hsaco

if command -v objcopy > /dev/null && command -v python3 > /dev/null; then
  # Two bundles, as from two sources: the second has another target too.
  python3 - "$code" > "$work/fatbin" << 'END'
import struct, sys
code = open(sys.argv[1], "rb").read()
def bundle(ids):
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(ids))
    at, body = 4096, b""
    for name in ids:
        part = b"" if name.startswith("host") else code
        head += struct.pack("<QQQ", at + len(body), len(part), len(name))
        head += name.encode()
        body += part + bytes(-len(part) % 4096)
    return head + bytes(4096 - len(head)) + body
gpu = "hipv4-amdgcn-amd-amdhsa--"
sys.stdout.buffer.write(bundle(["host-x86_64-unknown-linux", gpu + "gfx90a"]) +
                        bundle(["host-x86_64-unknown-linux",
                                gpu + "gfx90a", gpu + "gfx906:xnack-"]))
END
  objcopy --add-section .hip_fatbin="$work/fatbin" "$(command -v env)" \
    "$work/program"
  try "$aqueduct" show "$work/program"
  check "an executable is shown" [ "$status" = 0 ]
  check "with every entry of every bundle" \
    [ "$(grep -c '^entry ' "$work/out")" = 5 ]
  try "$aqueduct" show "$work/program" --target gfx90a
  check "for one target, the entries that fit" \
    [ "$(grep -c '^entry .*gfx90a$' "$work/out")" = 2 ]
  check "and no others" [ "$(grep -c '^entry ' "$work/out")" = 2 ]
  try "$aqueduct" show "$work/program" --target gfx1100
  check "a target that is not there: exit 2" [ "$status" = 2 ]
  check "and the targets are listed" contains "$err" \
    "it has no code for gfx1100; it has host-x86_64-unknown-linux, hipv4"
  one=$("$aqueduct" show "$code" --stub | grep -c 'static void k')
  both=$("$aqueduct" show "$work/program" --stub | grep -c 'static void k')
  check "a plug-in has the kernels of all bundles" [ "$both" = $((2 * one)) ]
  head -c 9000 "$work/fatbin" > "$work/cut"
  objcopy --add-section .hip_fatbin="$work/cut" "$(command -v env)" \
    "$work/damaged"
  try "$aqueduct" show "$work/damaged"
  check "a bundle that is cut off: exit 2" [ "$status" = 2 ]
  check "and the file is named" contains "$err" "$work/damaged: offload bundle"
else
  skip "executables" "no objcopy or no python3"
fi

library=$(find /usr/lib -name 'librocrand.so.1' 2> /dev/null | head -1)
for version in -22 -21 -20 -19 ""; do
  readobj=$(command -v "llvm-readobj$version") && break
done
if [ -n "$library" ] && [ -n "$readobj" ]; then
  compared=$(python3 "$srcdir/tests/gpu/codeobj/oracle.py" "$aqueduct" readelf \
    "$readobj" "$library" 8 2> "$work/diff")
  check "rocRAND reads as llvm-readobj reads it ($compared kernels)" \
    [ "${compared:-0}" -gt 100 ]
  cat "$work/diff" >&2
else
  skip "rocRAND reads as llvm-readobj reads it" "no librocrand or llvm-readobj"
fi
finish
