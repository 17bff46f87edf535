#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels that hipcc compiled and that go wrong: under exec, with and without
# --timeout, each is the right error of a process that continues, and in launch
# the error line. bad_hip.tsv is the table.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
if ! command -v hipcc > /dev/null ||
  ! hipcc --offload-arch=gfx90a -O1 --genco --no-gpu-bundle-output \
    -o "$work/bad.co" "$srcdir/tests/dropin/hsa/bad_kernels.hip" \
    > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed or cannot compile here"
  exit 0
fi
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
export AQUEDUCT_PLUGIN_PATH
${AQ_CC:-cc} -D_GNU_SOURCE -I"$srcdir/src" -o "$work/client" \
  "$srcdir/tests/dropin/hsa/bad_client.c" \
  "$AQUEDUCT_PLUGIN_PATH/libhsa-runtime64.so" || exit 1
LD_LIBRARY_PATH=$AQUEDUCT_PLUGIN_PATH
export LD_LIBRARY_PATH
tab=$(printf '\t')
grep -v '^#' "$srcdir/tests/dropin/hsa/bad_hip.tsv" > "$work/table"
cut -f 1-5 "$work/table" > "$work/asked"

check "there are 30 kinds" [ "$(wc -l < "$work/table")" -ge 30 ]
ends() { # LINE KERNEL END TEXT
  case $1 in
  "$2 $3, good computes: "*"kernel $2"*"$4"* | \
    "$2 $3, good computes: "*"kernel dispatch"*"$4"*) return 0 ;;
  esac
  echo "# got: $1"
  return 1
}
all_end() { # HOW OPTION...
  all_how=$1
  shift
  "$aqueduct" exec --device mi210 "$@" -- "$work/client" "$work/bad.co" \
    < "$work/asked" > "$work/ends" 2> "$work/err"
  check "$all_how: the process lives to its end" [ $? = 0 ]
  number=0
  while IFS=$tab read -r kernel pointer n _ _ end text; do
    number=$((number + 1))
    check "$all_how: $kernel($pointer, $n) is $end" ends \
      "$(sed -n "${number}p" "$work/ends")" "$kernel" "$end" "$text"
  done < "$work/table"
}
all_end exec
all_end "exec --timeout" --timeout 100s

while IFS=$tab read -r kernel pointer n items lds _ text; do
  case $kernel$pointer in # launch makes the memory, nothing protects its end
  good*) continue ;;
  loadm | store_lanem | copy_widem) n=100000000 ;;
  *m) ;;
  *) continue ;;
  esac
  try "$aqueduct" launch "$work/bad.co" "$kernel" --device mi210 \
    --timeout 100s --grid "$items" --workgroup "$items" --lds "$lds" \
    --args 'buf:i32[1024]' "i32:$n"
  check "launch: $kernel($pointer, $n)" sh -c '[ "$1" = 1 ] &&
    grep -qF "$2" "$3"' sh "$status" "$text" "$work/err"
done < "$work/table"

for kernel in loops waits barrier_half; do
  echo "$kernel m 0 128 0" > "$work/asked"
  "$aqueduct" exec --device mi210 --timeout 3s -- "$work/client" \
    "$work/bad.co" < "$work/asked" > "$work/ends" 2> "$work/err"
  check "exec: $kernel ends at the timeout" [ $? = 125 ]
  check "exec: and the line says where its waves are" grep -q \
    "at the timeout: kernel $kernel+0x.* (pc 0x.*): .*: workgroup 0,0,0 wave" \
    "$work/err"
  try "$aqueduct" launch "$work/bad.co" "$kernel" --device mi210 \
    --timeout 1s --grid 128 --workgroup 128 --args 'buf:i32[1024]' i32:0
  check "launch: so too" sh -c '[ "$1" = 1 ] && grep -q \
    "kernel $2: dispatch 1 of 1 did not end within 1 s; its code hangs: kernel $2+0x" \
    "$3"' sh "$status" "$kernel" "$work/err"
done
check "a wave at a barrier that the others never reach is counted" contains \
  "$err" "1 wait at a barrier"
finish
