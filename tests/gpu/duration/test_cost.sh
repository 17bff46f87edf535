#!/bin/sh
# SPDX-License-Identifier: MIT
# Durations predicted from executed code: exec --cost, device predict RUN.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
if ! command -v hipcc > /dev/null ||
  ! hipcc --offload-arch=gfx90a -O1 -w -o "$work/counted" \
    "$srcdir/tests/gpu/duration/counted.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed or cannot compile here"
  exit 0
fi

try "$aqueduct" exec --cost executed --name all -q -- "$work/counted" 262144
check "the program computes what it does otherwise" [ "$out" = 0 ]
try "$aqueduct" device predict all --json
check "its work is predicted, as JSON" is_json "$work/out"
check "labelled" contains "$out" '"durations": "predicted ±'
check "of all workgroups" contains "$out" '"groups": 1024'
check "a part of them counted" contains "$out" '"counted": 192'
here=$out
try "$aqueduct" device predict all --device mi300a --json
check "another device needs no execution" contains "$out" '"device": "mi300a"'
check "and has other durations" [ "$out" != "$here" ]
try "$aqueduct" device predict all --set workgroup_interval=100x
check "constants of the model change them" contains "$out" " workgroups "
try "$aqueduct" device predict all
check "each row of the table has the word" contains "$out" " predicted "
for view in "show all" "stats all"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" $view
  check "$view says that durations are predicted" contains "$out$err" \
    "predicted ±"
done

try "$aqueduct" stats all
check "stats has the shares of the peaks" contains "$out" "memory %"
# The kernel reads and writes 2^18 numbers; a MI210 moves 1638.4 GB/s.
"$aqueduct" stats all --json > "$work/shares"
check "that of memory is the kernel's bytes over its time" \
  [ "$(awk '/"name": "_Z5twice/ { ours = 1 }
    ours && /"memory_percent"/ { share = $2 }
    ours && /"kernel"/ { kernel = 1 }
    kernel && /"total_ns"/ {
      printf "%.0f", share / 100 * $2 * 1638.4 / 1000
      exit
    }' "$work/shares")" = 2097 ]
check "no member of the document is there twice" python3 -c '
import json, sys
def once(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)
json.load(open(sys.argv[1]), object_pairs_hook=once)' "$work/shares"
check "a device without a cache behind L2 has no share of its peak" \
  [ "${out#*far %}" = "$out" ]
try "$aqueduct" stats all --by queue
check "only kernels have them" [ "${out#*memory %}" = "$out" ]

try "$aqueduct" exec --cost sampled --name part -q -- "$work/counted" 262144
try "$aqueduct" device predict part --json
check "a sampled grid has the same counts" \
  [ "$(echo "$out" | grep predicted_ns)" = \
  "$(echo "$here" | grep predicted_ns)" ]

# The same kernel by launch.
args="buf:f32[262144]=iota out:f32[262144]"
# shellcheck disable=SC2086 # words
launched() { # NAME OPTION...
  launched_name=$1
  shift
  try "$aqueduct" launch "$srcdir/tests/gpu/duration/counted.hip" twice \
    --device mi210 --grid 262144 --workgroup 256 --name "$launched_name" "$@" \
    --args $args
}
predicted_alone() {
  echo "$out" | grep -q '^durations    predicted ± 38 % from executed code$'
}
launched cost --cost executed
check "launch predicts too" predicted_alone
check "and computes" contains "$out" ": 0 2 4 6 8"
try "$aqueduct" device predict cost --json
check "its work is that of the program's kernel" \
  [ "$(echo "$out" | grep -c '"counted": 192')" = 1 ]
hipcc --genco --offload-arch=gfx90a -O1 -w -o "$work/costs.co" \
  "$srcdir/tests/gpu/duration/costs.hip"
try "$aqueduct" launch "$work/costs.co" copy --device mi210 --grid 1024 \
  --workgroup 256 --cost executed --args 'buf:f32[1024]=1' 'out:f32[1024]' u32:1
check "of a compiled code object too" predicted_alone
# 2.1 MB that the cache behind L2 holds, which moves 4,010 GB/s.
try "$aqueduct" launch "$srcdir/tests/gpu/duration/counted.hip" twice \
  --device rx6900xt --grid 262144 --workgroup 256 --cost executed --name far \
  --args 'buf:f32[262144]' 'out:f32[262144]'
"$aqueduct" stats far --json > "$work/shares"
check "lines that a cache answers are a share of its peak, not of memory's" \
  [ "$(awk '/"far_percent"/ { share = $2 }
    /"memory_percent"/ { none = $2 }
    kernel && /"total_ns"/ {
      printf "%.0f %d", share / 100 * $2 * 4010 / 10000, none
      exit
    }
    /"kernel": [{]/ { kernel = 1 }' "$work/shares")" = "210 0" ]
launched part-of --cost sampled
check "sampled results are said to be incomplete" contains "$err" \
  "the results are incomplete"
try "$aqueduct" launch "$srcdir/tests/gpu/duration/counted.hip" visit \
  --device mi210 --grid 1000000000 --workgroup 256 --cost sampled \
  --name billion --args 'out:u32[1]'
check "of a billion work-items 192 workgroups are executed" contains "$out" \
  "out:u32[1]: 192"
try "$aqueduct" device predict billion --json
check "and their prediction is of all" contains "$out" '"groups": 3906250'
launched auto
check "it is the default" contains "$out" "durations    predicted"
launched fix --cost fixed
check "durations can be assumed" contains "$out" "durations    assumed"
launched again
plain=$out
launched isa --profile-isa
check "a profile changes no duration" [ "$out" = "$plain" ]
launched no --cost much
check "launch refuses another word" contains "$err" \
  "cost: 'much'; expected auto, fixed, executed or sampled"
try "$aqueduct" launch "$srcdir/tests/gpu/duration/counted.hip" twice \
  --device mi210,mi300x --grid 256 --cost executed --args buf:f32[256] out:f32[256]
check "each device has its own constants" [ "$status" = 0 ]

code=$srcdir/tests/fuzz/corpus/capture/code.aqcap
try "$aqueduct" replay "$code" --device mi210 --cost executed --name captured
check "a capture's code is counted in its replay" [ "$status" = 0 ]
try "$aqueduct" stats captured
check "whose rows are predicted" contains "$out" "predicted ±"
try "$aqueduct" device predict captured --device mi300a
check "and can be predicted on another device" contains "$out" " predicted "
try "$aqueduct" replay all --cost executed
check "a stored run has no code to count" contains "$err" \
  "--cost does not apply to a stored run"

try "$aqueduct" replay "$work/missing.aqcap" --cost executed
check "of a missing capture, the message says that it is missing" contains "$err" \
  "there is no capture file $work/missing.aqcap"
check "with status 2, too" [ "$status" = 2 ]

try "$aqueduct" exec --cost some -q -- "$work/counted"
check "another word is refused" [ "$status" = 125 ]
check "with those there are" contains "$err" "expected auto, fixed, executed or"
try "$aqueduct" exec --cost executed --check -q -- "$work/counted"
check "a checked run is not counted" contains "$err" "with --check"
# A program's packets, with the memory of its kernels.
"$aqueduct" exec --device mi210 --cost executed --name live -q -- \
  "$work/counted" 262144 > /dev/null
"$aqueduct" exec --device mi210 --capture "$work/packets.jsonl" -q -- \
  "$work/counted" 262144 > /dev/null
packets=$work/packets.jsonl
try "$aqueduct" replay "$packets" --device mi210 --cost executed --name packets
check "a capture of packets computes the captured bytes" contains "$err" \
  "2 of 2 executions computed the captured bytes"
timed() { # RUN: each kernel's name, whether predicted, duration
  "$aqueduct" export "$1" --format csv -q | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["kind"] == "kernel" {
      print $at["name"], $at["predicted"], $at["end"] - $at["start"]
    }'
}
check "its kernels take the times of a counted program" \
  [ "$(timed packets)" = "$(timed live)" ]
check "as predictions" [ "$(timed packets | grep -c ' yes ')" = 2 ]
try "$aqueduct" stats packets
check "said in views" contains "$out" "predicted ± 38 % from executed code"
check "and counted" contains "$out" "memory %"
"$aqueduct" device predict live > "$work/live"
"$aqueduct" device predict packets > "$work/again"
check "with the same work" cmp "$work/live" "$work/again"
try "$aqueduct" replay "$packets" --device mi300a --cost executed --name there
check "on another device they take its times" \
  [ "$(timed there)" != "$(timed live)" ]
try "$aqueduct" device predict live --device mi300a --json
whole=$(echo "$out" | sed -n 's/.*"predicted_ns": \([0-9.]*\).*/\1/p' |
  awk '{ s += $1 } END { printf "%.0f", s }')
try "$aqueduct" stats there --by all --json
check "which device predict gives, too" [ "$(echo "$out" |
  sed -n '/"kernel"/,/}/s/.*"total_ns": \([0-9.]*\).*/\1/p' |
  awk 'NR == 1 { printf "%.0f", $1 }')" = "$whole" ]
sed 's/"event":"execute"\(.*\)"device":0/"event":"execute"\1"device":3/' \
  "$packets" > "$work/far.jsonl"
try "$aqueduct" replay "$work/far.jsonl" --device mi210 --cost executed
check "code of a device that is not there is refused" contains "$err" \
  "code of device 3; the replay has 1"
# The second execution waited for another.
awk '/"event":"executed"/ && n++ == 1 { sub(/"waits":0/, "\"waits\":1") } 1' \
  "$packets" > "$work/waits.jsonl"
try "$aqueduct" replay "$work/waits.jsonl" --device mi210 --cost executed \
  --name waits
check "a kernel that cannot be executed alone keeps the capture's cost" \
  contains "$err" "1 of 2 executions"
try "$aqueduct" show waits
check "which is said" contains "$out" "assumed: 1 of 2 kernels"

"$aqueduct" exec --name plain -q --cost fixed -- "$work/counted" > /dev/null
try "$aqueduct" device predict plain
check "a run without counts is refused" contains "$err" "no counted work"
check "with status 2" [ "$status" = 2 ]
try "$aqueduct" stats plain
check "and has no shares of peaks" [ "${out#*memory %}" = "$out" ]

cat > "$work/told.hip" << 'EOF'
#include <hip/hip_runtime.h>
__global__ void told(float *x)
{
  const long long begin = wall_clock64();
  while (wall_clock64() - begin < 100000)
    ;
  x[threadIdx.x] = 1;
}
__global__ void plain(float *x) { x[threadIdx.x] += 1; }
int main()
{
  float *x;
  if (hipMalloc(&x, 1024) != hipSuccess)
    return 1;
  told<<<1, 64>>>(x);
  plain<<<1, 64>>>(x);
  plain<<<1, 64>>>(x);
  return hipDeviceSynchronize() != hipSuccess;
}
EOF
if hipcc --offload-arch=gfx90a -O1 -o "$work/told" "$work/told.hip" 2> "$work/log"; then
  try "$aqueduct" exec --device mi210 --name told -q -- "$work/told"
  try "$aqueduct" show told
  check "a kernel whose clock tells its time is named apart" contains "$out" \
    "from executed code; executed: 1 of 3 kernels"
fi

finish
