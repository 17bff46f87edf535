#!/bin/sh
# SPDX-License-Identifier: MIT
# Code of other projects: whether every instruction that its kernels can reach
# executes. `count AQUEDUCT NAME DIR` prints a row for the code objects in DIR,
# `page ROWS LLVM` the sections of doc/tables/oracles.md on instructions, LLVM being the rows
# of test_llvm. Objects that are not linked are linked with ld.lld-22 first.
case $1 in
count)
  aqueduct=$2 name=$3 dir=$4
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  for file in "$dir"/*; do
    object=$file
    if LC_ALL=C readelf -h "$file" 2> /dev/null | grep -q 'REL (Reloc'; then
      object=$work/linked.so
      ld.lld-22 -shared "$file" -o "$object" || exit 1
    fi
    if "$aqueduct" show "$object" --asm > "$work/asm" 2> "$work/error"; then
      sed -n 's/^\([^ ]*\): \([0-9]*\) instructions can be reached, \(.*\)$/k\t\2\t\3/p' \
        "$work/asm"
      echo file
    else
      echo other
    fi
  done > "$work/rows"
  awk -F '\t' -v OFS='\t' -v name="$name" '
    $1 == "file" { files++ }
    $1 == "other" { others++ }
    $1 == "k" { kernels++; instructions += $2; missing += $3 !~ /all execute$/ }
    END { print name, files + 0, others + 0, kernels + 0, instructions + 0,
                missing + 0; exit !kernels || missing }' "$work/rows"
  ;;
page)
  cat << 'EOF'

## Kernels of others execute whole

Code objects of other projects; `make check-static CORPUS=NAME CODE=FOLDER` reads
the objects of a folder and writes its row of this table (MGPUSim: every `.hsaco` of its
repository; RDNA: the kernels of `tests/gpu/wave/` with `-O3`, for each processor and
generic target of RDNA that the compiler knows, in waves of 32 and 64 lanes).
"Others" are for processors before gfx9, or no code objects of version 2 to 6.

| code of | objects | others | kernels | instructions that they can reach | kernels with an instruction that is not simulated |
|---|---|---|---|---|---|
EOF
  awk -F '\t' '{ printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }' \
    "$2"
  cat << 'EOF'

## Encodings of LLVM's tests have llvm-objdump's text

Every encoding of `llvm/test/MC/Disassembler/AMDGPU` in the printed form of
llvm-objdump 22, for each length of waves that a test asks for; `make check-llvm
LLVM_TESTS=FOLDER LLVM_VERSION=NAME` writes this table. "Refused" are encodings that
llvm-objdump itself takes for data or marks as invalid: most of them test just that.
"Graphics" are images, exports and interpolation of RDNA, which are not in our table.

EOF
  awk -F '\t' '
    NF == 1 { printf "Tests of %s.\n\n| processor | equal | different | refused | graphics |\n|---|---|---|---|---|\n", $1 }
    NF > 1 { printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' "$3"
  ;;
*)
  echo "static.sh: expected count or page" >&2
  exit 2
  ;;
esac
