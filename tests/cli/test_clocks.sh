#!/bin/sh
# SPDX-License-Identifier: MIT
# The offset between the clocks of host and device. A trace is made twice: with
# clocks that agree, and with a device clock that is ahead by a known time. All
# else is equal, so replays have to be as good.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# 60 kernels of 150 us on an idle device, which start LATENCY us after the return
# of their call. The host waits for every fifth one, and sees its end 4.9 us
# late, as the model has it; or it copies 64 bytes then, and sees the end of the
# copy 0.987 us late.
kineto() { # AHEAD waits|copies [LATENCY]
  awk -v ahead="$1" -v what="$2" -v latency="${3:-5}" '
  function call(name, from, to) {
    printf "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\"," \
      "\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":" \
      "{\"correlation\":%d}}", comma, name, from, to - from, id
    comma = ",\n"
  }
  function row(cat, name, from, to, more) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0," \
      "\"tid\":0,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"device\":0,\"stream\":0," \
      "\"correlation\":%d%s}}", comma, cat, name, from + ahead, to - from, id,
      more
  }
  BEGIN {
    print "{\"traceEvents\":["
    t = 1000
    for (i = 0; i < 60; i++) {
      id++
      call("hipLaunchKernel", t, t + 4)
      end = t + 4 + latency + 150
      row("kernel", "k", end - 150, end, "")
      t = end + 20
      if (i % 5 == 4 && what == "waits") {
        id++
        call("hipDeviceSynchronize", end - 150, end + 4.9)
      } else if (i % 5 == 4) {
        id++
        call("hipMemcpyWithStream", t, t + 20 + 5 + 0.987)
        row("gpu_memcpy", "Memcpy HtoD (Host -> Device)", t + 20, t + 25,
          ",\"bytes\":64")
        t += 50
      }
    }
    print "]}"
  }'
}

# The lines of errors of all rows that the comparison of a replay prints.
errors_of() { # RUN
  "$aqueduct" compare "$1" --json | tr -d ' \n' | tr '{' '\n' |
    grep '"class":"all"' | grep '"by":"run"'
}

for what in waits copies; do
  kineto 0 $what > "$work/agree-$what.json"
  kineto 12 $what > "$work/ahead-$what.json"
  for clocks in agree ahead; do
    try "$aqueduct" import "$work/$clocks-$what.json" --name $clocks-$what
    eval "imported_$clocks=\$err"
    try "$aqueduct" replay $clocks-$what --device mi300x \
      --name sim-$clocks-$what
    [ $clocks = agree ] &&
      check "clocks that agree are not corrected ($what)" [ \
        "$status-${err#*clocks of}" = "0-$err" ]
  done
  # shellcheck disable=SC2154 # assigned by eval
  check "import prints that clocks differ ($what)" contains \
    "$imported_ahead" "12 of 12 waits return up to"
  # shellcheck disable=SC2154
  check "and only where they do ($what)" [ \
    "${imported_agree#*differ}" = "$imported_agree" ]
  check "the offset is the known one ($what)" contains "$err" \
    "clocks of this run differ by +12.0 us (n = 12 waits; 12 return before"
  check "and doorbells move by it ($what)" contains "$err" \
    "doorbells ring +12.0 us later"
  errors_of sim-agree-$what > "$work/agree"
  errors_of sim-ahead-$what > "$work/ahead"
  check "replays are as good as where clocks agree ($what)" \
    cmp "$work/agree" "$work/ahead"
  check "of errors there are some ($what)" [ -s "$work/agree" ]
done
try "$aqueduct" compare sim-ahead-waits
check "the comparison prints the offset" contains "$out" \
  "+12.0 us: device clock ahead of the host's (n = 12)"
try "$aqueduct" compare sim-ahead-waits --json
check "in JSON it is in the notes of the replay" contains \
  "$(echo "$out" | tr -d ' \n')" '"clock":{"offset_ps":12000000,'
check "and nowhere else" [ "$(echo "$out" | grep -c offset_)" = 1 ]

try "$aqueduct" replay ahead-waits --device mi300x --clock-offset none \
  --name kept
check "none moves no doorbell" [ "$status-${err#*clocks of}" = "0-$err" ]
errors_of kept > "$work/kept"
check "which shows" [ "$(cmp -s "$work/ahead" "$work/kept"; echo $?)" = 1 ]
try "$aqueduct" replay ahead-waits --device mi300x \
  --set clock_offset=12us --name contained
check "the model's launches may contain the offset" contains "$err" \
  "contain +12.0 us, so doorbells ring +0.0 us later"
errors_of contained > "$work/contained"
check "then nothing moves" cmp "$work/kept" "$work/contained"
try "$aqueduct" replay ahead-waits --device mi300x --clock-offset 3us
check "other words are refused" [ "$status" = 2 ]
check "by name" contains "$err" "--clock-offset '3us': auto or none expected"

# A wait that returns 0.9 us before the end may be a matter of timestamps.
kineto 5.8 waits > "$work/near.json"
try "$aqueduct" import "$work/near.json" -q --name near
try "$aqueduct" replay near --device mi300x
check "less than a microsecond proves nothing" [ \
  "$status-${err#*clocks of}" = "0-$err" ]

# Two sessions: of one the offset is known, 12 us. The other one's launches take
# 17 us as well, and nothing says why: launches of the model contain 12 us.
kineto 0 waits 17 > "$work/other.json"
try "$aqueduct" import "$work/other.json" -q --name other
try "$aqueduct" device calibrate ahead-waits other --device mi300x \
  -o "$work/new.device"
check "calibration finds the offset that launches contain" contains \
  "$(cat "$work/new.device" 2> /dev/null)" "clock_offset = 12.000 us"
try "$aqueduct" device calibrate agree-copies --device mi300x \
  -o "$work/new.device"
check "and how long the return of a copy takes" contains \
  "$(cat "$work/new.device" 2> /dev/null)" "copy_return = 987 ns"
finish
