#!/bin/sh
# SPDX-License-Identifier: MIT
# Fitting a device model to measured runs.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# Kernels on an idle device, all of one latency, warm up to 50 us of idle and
# 3 us more beyond (with STRAY every third of these is not); then a queue of
# kernels 4 us apart, or longer ones with gaps of GAP ns between them.
measured() { # LAUNCHES QUEUED [GAP [STRAY]]
  awk -v launches="$1" -v queued="$2" -v gap="${3:-0}" -v stray="$4" 'BEGIN {
    print "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds," \
      "scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,DispatchNs,BeginNs," \
      "EndNs,CompleteNs"
    end = 1000000
    for (i = 0; i < launches + queued; i++) {
      idle = 20000 + 2000 * (i % 40)
      if (i < launches) {
        dispatch = end + idle
        late = idle > 50000 && (!stray || i % 3)
        begin = dispatch + 6000 + (late ? 3000 : 0)
        end = begin + 10000
      } else {
        dispatch = end - 40000
        begin = end + gap
        end = begin + 4000 + 80 * (i % 7)
      }
      printf "%d,\"k\",0,0,%d,1,1,64,64,0,0,4,0,16,64,0x0,0x1,%d,%d,%d,%d\n",
        i, i, dispatch, begin, end, end + 9000
    }
  }'
}

fits() { # KEY VALUE
  check "$1 is fitted" contains \
    "$(sed 's/ +- [^;]*;/ ;/' "$work/new.device")" "$1 = $2 ; measured: "
}

measured 200 200 > "$work/enough.csv"
measured 3 50 > "$work/thin.csv"
for name in enough thin; do
  try "$aqueduct" import "$work/$name.csv" -q --name $name
done
try "$aqueduct" device calibrate enough --device mi300x -o "$work/new.device"
check "calibrate succeeds" [ "$status" = 0 ]
# 4 us less 0.446 us; 6 us less 3.554 and 0.37 us; 9 us less 6 us and the ramp
# of the model beyond 51 us.
fits dispatch_setup "3.554 us"
fits doorbell_to_fetch "2.030 us"
fits remap_latency "2.958 us"
fits unmap_after "51.000 us"
check "what is not fitted says why" contains "$err" \
  "dependency_poll: not fitted, keeps 7.270 us: 0 cases of 'dependency'"

# Launches are reduced by the ramp that the new model has: here 1 us for each
# doubling of 2 to 64 us of idle time, on top of 6 us.
ramped() {
  awk 'BEGIN {
    print "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds," \
      "scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,DispatchNs,BeginNs," \
      "EndNs,CompleteNs"
    end = 1000000
    for (i = 0; i < 200; i++) {
      doublings = 1 + i % 6
      dispatch = end + 1000 * 2 ^ doublings
      begin = dispatch + 6000 + 1000 * doublings
      end = begin + 10000
      printf "%d,\"k\",0,0,%d,1,1,64,64,0,0,4,0,16,64,0x0,0x1,%d,%d,%d,%d\n",
        i, i, dispatch, begin, end, end + 9000
    }
  }'
}
ramped > "$work/ramped.csv"
try "$aqueduct" import "$work/ramped.csv" -q --name ramped
try "$aqueduct" device calibrate ramped --device mi300x -o "$work/new.device"
fits idle_ramp "1.000 us"
fits doorbell_to_fetch "2.430 us" # 6 us less 3.154 and 0.416 us
try "$aqueduct" device calibrate ramped --device mi300x \
  --set idle_ramp=0ns --set dispatch_setup=2us -o "$work/new.device"
check "a constant of --set stays" contains "$(cat "$work/new.device")" \
  "idle_ramp = 0 ps ; assumed: set by hand"
try "$aqueduct" device calibrate ramped ramped --device mi300x
check "a run counts once" contains "$status $err" "run ramped is given twice"
try "$aqueduct" device calibrate ramped --device mi300x --set dispatch_setup=2x \
  -o "$work/twice.device"
check "a factor of --set is written as its value" contains \
  "$(cat "$work/twice.device")" "dispatch_setup = 6.308 us ; assumed: set by hand"
try "$aqueduct" show "$work/twice.device"
check "which can be read" [ "$status" = 0 ]
try "$aqueduct" device calibrate ramped --device mi300x \
  --set idle_ramp=0ns --set dispatch_setup=2us -o "$work/new.device"
check "it is not fitted" contains "$err" \
  "idle_ramp: not fitted, keeps 0 ns: set by hand"
# 8 us, the median up to the step that half of the ramp counts as, less 2 and
# 0.416 us.
fits doorbell_to_fetch "5.584 us"
try "$aqueduct" device calibrate enough --device mi300x -o "$work/new.device"
try "$aqueduct" show "$work/new.device"
check "the new model begins with the old one" contains "$out" "mi300x"
try "$aqueduct" replay enough --device "$work/new.device" --name s -q
try "$aqueduct" compare s --fail-above end.p99=0.1us
check "it reproduces what it was fitted to" [ "$status" = 0 ]
try "$aqueduct" device calibrate enough --device mi300x --json
check "a constant states its spread" contains "$(cat "$work/new.device")" \
  "doorbell_to_fetch = 2.030 us"
try "$aqueduct" replay enough --device "$work/new.device" --name wide \
  --interval --set doorbell_to_fetch='2.03 us +- 1 us' \
  --set remap_latency='3us+-0us' --set remap_ramp=0ns \
  --set idle_ramp=0ns --set unexplained_latency=0us \
  --set unexplained_makespan=0us
interval=$(echo "$err" | grep interval)
check "intervals are reported" contains "$err" "90 % interval of direct launches, by the spreads"
check "one constant moves the latency by its spread" contains "$err" \
  "median latency +- 1.000 us"
for record in none sample=2 kernels; do
  try "$aqueduct" replay enough --device "$work/new.device" --record $record \
    --interval --set doorbell_to_fetch='2.03 us +- 1 us' \
    --set remap_latency='3us+-0us' --set remap_ramp=0ns \
    --set idle_ramp=0ns --set unexplained_latency=0us \
    --set unexplained_makespan=0us
  check "the interval with --record $record is the same" \
    [ "$(echo "$err" | grep interval)" = "$interval" ]
done
try "$aqueduct" compare wide
check "compare prints whether the measured run is within" contains "$out" \
  "makespan +- 1.000 us (within)"
try "$aqueduct" replay enough --device "$work/new.device" --interval \
  --set doorbell_to_fetch='2 us +- x'
check "a spread that is no time is refused" [ "$status" = 2 ]
try "$aqueduct" device calibrate enough --device mi300x --json
check "--json tells the same" contains "$out" '"key": "unmap_after"'

# RDNA stamps the start of the first wave: queued kernels never start at the
# previous end, and what lies between shows in gaps.
measured 200 200 4840 stray > "$work/gaps.csv"
try "$aqueduct" import "$work/gaps.csv" -q --name gaps
try "$aqueduct" device calibrate gaps --device r9700 -o "$work/new.device"
check "gaps of RDNA are fitted" [ "$status" = 0 ]
# 4.84 us less 0.446 us.
fits dispatch_setup "4.394 us"
check "with what they are" contains "$err" \
  "gap between queued kernels: p50 4.840 us"
check "launches that are late only now and then have no step" contains "$err" \
  "unmap_after: not fitted, keeps 105.000 us: no idle time is seen"

# The gap follows the kernel before: behind "a" 4 us, behind "b" 6.4 us. A model
# fitted to the first runs reproduces the next one, whose order differs.
two() { # EVERY
  measured 40 200 | awk -F, -v OFS=, -v every="$1" 'NR == 1 { print; next }
    { if ($1 >= 40) {
        long = $20 - $19
        $2 = $1 % every ? "\"a\"" : "\"b;=\""
        $19 = end + (last == "\"a\"" ? 4000 : 6400)
        $20 = $19 + long
        $21 = $20 + 9000
        $18 = $19 - 40000
      }
      end = $20; last = $2; print }'
}
two 3 > "$work/two3.csv"
two 5 > "$work/two5.csv"
try "$aqueduct" import "$work/two3.csv" -q --name two3
try "$aqueduct" import "$work/two5.csv" -q --name two5
try "$aqueduct" device calibrate two3 --device r9700 -o "$work/two.device"
check "gaps by the kernel before are fitted" contains "$err" \
  "gaps fitted after 2 of 3 kernels"
check "with name and count" contains "$(cat "$work/two.device")" \
  'after 64 "b;=" = 6400 ns ; measured: gap to the next queued kernel'
try "$aqueduct" show "$work/two.device"
check "show prints them" contains "$out" "after b;= (64): 6.400 us"
try "$aqueduct" device calibrate two3 --device r9700 --json
check "and --json" contains "$out" '"p50_ns": 6400'
try "$aqueduct" replay two5 --device "$work/two.device" --name twice
check "a replay says where it uses them" contains "$err" \
  "kernels with a gap of the device model for this name and grid"
try "$aqueduct" compare twice --fail-above queued.interval.p99=0.05us
check "and reproduces them" [ "$status" = 0 ]
try "$aqueduct" replay two5 --device r9700 --name base -q
try "$aqueduct" compare base --fail-above queued.interval.p99=0.5us
check "which one gap for all kernels does not" [ "$status" = 1 ]
try "$aqueduct" device calibrate two3 --device mi300x -o "$work/gfx9.device"
check "gfx9 has no such gaps" [ "$(grep -c '^after' "$work/gfx9.device")" = 0 ]

refuses() { # NAME WORDS ARGUMENT...
  refuses_name=$1
  refuses_words=$2
  shift 2
  try "$aqueduct" device "$@"
  check "$refuses_name: exit 2" [ "$status" = 2 ]
  check "$refuses_name: says why" contains "$err" "$refuses_words"
}
refuses "thin data" "too few cases in the runs: 2 launches" \
  calibrate thin --device mi300x -o "$work/none.device"
check "nothing is written then" [ ! -e "$work/none.device" ]
refuses "a simulated run" "is simulated" calibrate s --device mi300x
refuses "no model" "expected --device" calibrate enough
refuses "another verb" "expected calibrate" guess enough
refuses "a run that is not there" "no run" calibrate gone --device mi300x

data=$AQ_DATA
[ -n "$data" ] || data=$srcdir/../shared/data
if [ ! -d "$data/measured/raw" ]; then
  skip "shipped models come out of the published traces" "no published traces in AQ_DATA"
  finish
  exit 0
fi
try "$srcdir/tools/calibrate.sh" "$aqueduct" "$data/measured" mi210
check "the shipped mi210 comes out of the published traces" [ "$status" = 0 ]
finish
