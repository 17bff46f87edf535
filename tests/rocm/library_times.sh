#!/bin/sh
# SPDX-License-Identifier: MIT
# The cost of calls of ROCm's libraries under exec, as a table: the instructions
# of waves that a call executes, its best wall and processor time of several, and
# the most memory of the process.
#
#   library_times.sh AQUEDUCT [DEVICE]
set -eu
aqueduct=$1
device=${2:-mi210}
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/aqtimes-XXXXXX")
trap 'rm -rf "$work"' EXIT

call_run() { # CALL REPEATS OPTION…
  call=$1
  repeats=$2
  shift 2
  "$aqueduct" exec -q --store "$work/runs.db" --device "$device" "$@" \
    -- "$work/times" "$call" "$repeats"
}

hipcc -std=c++17 -O1 --offload-arch=gfx90a -o "$work/times" \
  "$folder/times.hip" -lrocrand -lrocsparse
echo '| call | million wave-instructions | wall, ms | processor, ms | million a second of processor time | peak memory, MiB |'
echo '|---|---|---|---|---|---|'
for call in generate product sort; do
  case $call in
  generate) text='`rocrand_generate_uniform`, 10⁷ floats by Philox' ;;
  product) text='`rocsparse_scsrmv`, 10⁶ non-zeros in 10⁵ rows' ;;
  sort) text='`rocprim::radix_sort_keys`, 10⁶ keys of 32 bits' ;;
  esac
  call_run "$call" 1 --record none --profile-isa > /dev/null
  issued=$("$aqueduct" show latest --asm --store "$work/runs.db" |
    awk '$1 == "all" { sum += $3 } END { printf "%.3f", sum / 1e6 }')
  call_run "$call" "${AQ_REPEATS:-5}" --record none > "$work/out"
  awk -F '\t' -v text="$text" -v issued="$issued" '{
    printf "| %s | %s | %.0f | %.0f | %.0f | %d |\n", text, issued, $2, $3,
      issued / $3 * 1e3, $4 }' "$work/out"
  rm -rf "$work"/runs.db*
done

# The best wall time of ten starts, in microseconds.
start() { # COMMAND…
  best=
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    begin=$(date +%s%N)
    "$@" > /dev/null 2>&1 || true
    took=$((($(date +%s%N) - begin) / 1000))
    [ -n "$best" ] && [ "$best" -le "$took" ] || best=$took
  done
  echo "$best"
}
alone=$(start "$work/times" none)
under=$(start "$aqueduct" exec -q --store "$work/runs.db" -- "$work/times" none)
echo
echo "A program that links the three libraries and calls none starts in" \
  "$((alone / 1000)) ms, under \`exec\`, which finds its device, in" \
  "$((under / 1000)) ms."
