#!/bin/sh
# SPDX-License-Identifier: MIT
# Counters agree with the records, and do not change them.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
busy=$srcdir/tests/cli/busy.json

"$aqueduct" run "$busy" --name off -q > /dev/null
"$aqueduct" run "$busy" --name on --counters 700ns -q > /dev/null
"$aqueduct" export off -o "$work/off.jsonl"
"$aqueduct" export on -o "$work/on.jsonl"
grep -v '"kind":"sample"' "$work/on.jsonl" > "$work/rows.jsonl"
check "records are the same with and without counters" \
  cmp -s "$work/off.jsonl" "$work/rows.jsonl"
check "there are samples" grep -q '"counter":"occupancy"' "$work/on.jsonl"
check "and none where none were asked for" \
  [ "$(grep -c '"kind":"sample"' "$work/off.jsonl")" = 0 ]

# counter ordinal time value, and queue submit launch complete of each row.
sed -n 's/.*"kind":"sample","counter":"\([a-z_]*\)","ordinal":\([0-9]*\),"time":\(-\{0,1\}[0-9]*\),"value":\([0-9]*\)}/sample \1 \2 \3 \4/p' \
  "$work/on.jsonl" > "$work/all"
sed -n 's/.*"queue":{"ordinal":\([0-9]*\).*"submit":\(-\{0,1\}[0-9]*\),"fetch":\(-\{0,1\}[0-9]*\),"launch":\(-\{0,1\}[0-9]*\),.*"complete":\(-\{0,1\}[0-9]*\).*/row \1 \2 \3 \4 \5/p' \
  "$work/rows.jsonl" >> "$work/all"
cat > "$work/depth.awk" << 'AWK'
$1 == "row" { n++; queue[n] = $2; submit[n] = $3; launch[n] = $5; done[n] = $6 }
$1 == "sample" && ($2 == "depth" || $2 == "active") {
  m++; what[m] = $2; of[m] = $3; at[m] = $4; value[m] = $5 }
END { # all pairs
  for (i = 1; i <= m; i++) {
    depth = 0
    for (r = 1; r <= n; r++)
      depth += queue[r] == of[i] && done[r] > at[i] &&
        (what[i] == "depth" ? submit[r] : launch[r]) <= at[i]
    if (depth != value[i]) { print what[i], of[i], at[i], value[i], depth; bad++ }
  }
  print ((m > 100 && !bad) ? "equal" : "different")
}
AWK
awk -f "$work/depth.awk" "$work/all" > "$work/verdict"
out=$(tail -n 3 "$work/verdict")
check "depth and active are what the records say at each instant" \
  [ "$(tail -n 1 "$work/verdict")" = equal ]

# A rate, times the interval, is a number of things.
awk '$1 == "sample" && $2 == "dispatch_rate" { last[$3] = $5
       if ($5) sum += 1 } END { print (sum > 10) }' "$work/all" > "$work/verdict"
check "packets were launched" [ "$(cat "$work/verdict")" = 1 ]
peak() { # COUNTER: its largest value
  awk -v name="$1" '$2 == name && $5 > most { most = $5 }
    END { printf "%d\n", most }' "$work/all"
}
check "waves are in flight: 2048 workgroups of 4 at least" \
  [ "$(peak waves)" -ge 4096 ]
check "occupancy is waves of wave slots" \
  [ "$(peak occupancy)" = "$(($(peak waves) * 1000 / (304 * 4 * 8)))" ]
check "no more compute units are busy than there are" \
  [ "$(peak busy_cus)" = 304 ]
check "memory moves no more than its bandwidth" \
  [ "$(peak bandwidth)" -gt 0 ]
check "pipes launch" [ "$(peak launch_busy)" -ge 1 ]
check "queues are mapped" [ "$(peak mapped_queues)" -ge 3 ]
for of in $(awk '$1 == "sample" && $2 != "core_clock" { print $2 "/" $3 }' "$work/all" | sort -u); do
  tail=$(awk -v n="${of%/*}" -v o="${of#*/}" \
    '$2 == n && $3 == o { v = $5 } END { print v }' "$work/all")
  # Queues keep their slots.
  [ "$tail" = 0 ] || [ "${of%/*}" = mapped_queues ] || break
done
check "everything ends at 0" [ "$tail" = 0 ]
check "but the clock, which is the device model's" [ "$(peak core_clock)" = 2100 ]

# What packets waited for.
sed -n 's/.*"fetch":\(-\{0,1\}[0-9]*\),"launch":\(-\{0,1\}[0-9]*\),.*"stalls":\([0-9]*\)}.*/\1 \2 \3/p' \
  "$work/rows.jsonl" > "$work/stalls"
awk '{ n++; why = $3 % 8 >= 1 || $3 >= 16 }
  $2 > $1 && !why || $2 == $1 && why { bad++ }
  END { print ((n > 100 && !bad) ? "told" : "not told") }' "$work/stalls" \
  > "$work/verdict"
check "whatever launches later than it was fetched says why" \
  [ "$(cat "$work/verdict")" = told ]
check "barrier bits and pipes are reasons here" grep -q ' 18$' "$work/stalls"
cat > "$work/room.json" << 'END'
{"version": 1, "device": "mi300x",
 "kernels": {"wide": {"grid": 1048576, "workgroup": 256,
                      "cost": {"workgroup": "30us"}}},
 "requests": {"r": {"steps": [{"kernel": "wide"}]}},
 "clients": [{"request": "r", "open": {"at": ["0us"]}, "count": 2}]}
END
"$aqueduct" run "$work/room.json" --name room -q > /dev/null
"$aqueduct" export room -o "$work/room.jsonl"
check "one of two kernels waits for room" \
  [ "$(grep -c '"stalls":\(32\|40\|48\|56\)}' "$work/room.jsonl")" = 1 ]

try "$aqueduct" show on --json
check "show summarizes them" contains "$out" '"counter": "waves"'
try "$aqueduct" show on
check "in a table too" contains "$out" "dispatch_rate"
"$aqueduct" import "$work/on.jsonl" --name back -q > /dev/null
"$aqueduct" export back | grep sample > "$work/back.jsonl"
grep sample "$work/on.jsonl" > "$work/samples.jsonl"
check "they come back from JSON Lines" cmp -s "$work/samples.jsonl" \
  "$work/back.jsonl"
"$aqueduct" export on --format chrome -o "$work/on.chrome"
check "Chrome JSON has them" grep -q '"name":"waves (waves)"' "$work/on.chrome"
check "and is JSON" is_json "$work/on.chrome"
"$aqueduct" export on --format perfetto -o "$work/on.pftrace"
check "Perfetto has them" grep -q 'waves (waves)' "$work/on.pftrace"
"$aqueduct" run "$busy" --name again --counters 700ns -q > /dev/null
"$aqueduct" export again -o "$work/again.jsonl"
check "the same run gives the same samples" cmp -s "$work/on.jsonl" \
  "$work/again.jsonl"

try "$aqueduct" run "$busy" --counters 0us
check "an interval of 0 is refused" [ "$status" = 2 ]
try "$aqueduct" run "$busy" --counters 1us --transport null
check "so are counters of a transport that has none" \
  contains "$status $err" "2 aqueduct: error: transport null has no counters"
"$aqueduct" run "$busy" --name live --live --counters 10us -q > /dev/null
try "$aqueduct" show live --json
check "live mode has counters" contains "$out" '"counter": "waves"'
finish
