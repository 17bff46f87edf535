#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct chain`: times of chains follow from the constants of the device
# model, are equal each time, and ways that a device lacks are refused by name.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

is_error() { # PART
  [ "$status" = 2 ] && [ -z "$out" ] && contains "$err" "$1" &&
    [ "$(wc -l < "$work/err")" = 1 ] &&
    case $err in "aqueduct: error: "*) ;; *) return 1 ;; esac
}

refuses() { # NAME PART ARGUMENT…
  name=$1 part=$2
  shift 2
  try "$aqueduct" chain "$@"
  check "$name" is_error "$part"
}

refuses "a chain of nothing" "--length: '0': expected an integer of at least 1" \
  --length 0
refuses "a chain that is too long" "--length 65537: expected at most 65536" \
  --length 65537
refuses "kernels without time" "--kernel-time 0us: expected a time above 0" \
  --kernel-time 0us
refuses "an unknown device" "mi999" --device mi210,mi999
refuses "two devices at once" "unknown device model 'mi210*2'" \
  --device 'mi210*2'
refuses "an unknown way" "--strategy pm5: expected barrier" --strategy pm5
refuses "an unknown format" "--format png: expected svg" --format png
try "$aqueduct" chain --format svg --json
check "two formats are refused, in a document" contains "$status $out" \
  '"error": "--json: not with --format"'
refuses "other transports" "--transport null: chain times device models" \
  --transport null
refuses "a place that cannot be written" "/nonexistent/x.svg" --length 1 \
  --device mi210 --format svg -o /nonexistent/x.svg
refuses "arguments" "usage: aqueduct chain" mi210

# A value of a row of --json: KEY STRATEGY OPTION…
value_of() {
  key=$1 strategy=$2
  shift 2
  "$aqueduct" chain --json --device mi210 --strategy "$strategy" "$@" |
    python3 -c "import json, sys
print(json.load(sys.stdin)['chains'][0]['$key'])"
}

same() { [ "$1" = "$2" ]; }

# The gap of dependent kernels by the constants of the model, in ns.
gap=$("$aqueduct" show mi210 --json | python3 -c "import json, sys
units = {'ps': .001, 'ns': 1, 'us': 1000}
all = {row['key']: row for row in json.load(sys.stdin)['values']}
parts = ('acquire_agent', 'dispatch_setup', 'end_of_pipe', 'release_agent',
         'signal_write')
print('%.3f' % sum(float(all[part]['value']) * units[all[part]['unit']]
                   for part in parts))")
check "a kernel more behind the barrier bit takes its time and the gap" \
  same "$(python3 -c "print('%.3f' % (
    $(value_of device_ns barrier --length 301 --kernel-time 3us) -
    $(value_of device_ns barrier --length 300 --kernel-time 3us)))")" \
  "$(python3 -c "print('%.3f' % ($gap + 3000))")"

# Each kernel more costs the same; a longer kernel, its own time more. PM4
# parts have 256 kernels: within one. The walk on the device is linear to a
# thousandth, and its second part runs beside a kernel.
for strategy in barrier signals pm4 device; do
  check "$strategy: time is linear in the length and in the kernel's time" \
    python3 -c "
a, b, c = (float(v) for v in '''
$(value_of device_ns "$strategy" --length 100)
$(value_of device_ns "$strategy" --length 150)
$(value_of device_ns "$strategy" --length 200)'''.split())
longer = $(value_of device_ns "$strategy" --length 200 --kernel-time 2us)
walks = '$strategy' == 'device'
assert 0 < a < b < c, (a, b, c)
assert abs((c - b) - (b - a)) < (1e-3 * (b - a) if walks else 1), (a, b, c)
assert abs(longer - c - 200 * 1000) < (1001 if walks else 1), (longer, c)"
done

check "signals take longer than the barrier bit" python3 -c "
assert $(value_of us_a_kernel signals) > $(value_of us_a_kernel barrier)"
check "packets of signals: a kernel each, and a wait each but the first" \
  same "$(value_of packets signals --length 100)" 199
check "the device puts the packets of its kernels itself" python3 -c "
assert $(value_of host_packets device --length 100) == 1
assert $(value_of packets device --length 100) > 100"
check "PM4 packets hold 256 kernels" \
  same "$(value_of packets pm4 --length 512)" 2

hip() { value_of "$1" hip-graph --length 10 --set 'graph_launch=2 us' \
  --set "graph_per_node=$2" --set 'graph_head=1' --set 'graph_batch=1'; }
check "HIP's host time for each kernel is the model's" \
  same "$(hip host_ns_a_kernel '30 us')" 30200
check "a chain never ends before HIP's host has written it" python3 -c "
slow = $(hip device_ns '30 us')
assert 302000 < slow < 302000 + 15000, slow"

try "$aqueduct" chain --device mi210 --length 8 --set 'graph_launch=0 us' \
  --set 'graph_per_node=0 us'
check "a way without its constants is refused by name, the others are timed" \
  same "$(printf '%s\n' "$out" | grep -c 'has no time of a graph launch')" 1
check "all ways have a row" \
  same "$status $(printf '%s\n' "$out" | wc -l)" "0 6"
check "a ring that the device lacks is refused by name" \
  same "$(value_of refused barrier --length 4096 --set 'queue_size_max=4096')" \
  "needs a ring of 8192 packets; the device has 4096"
check "PM4 is refused by name where its words are not known" contains \
  "$(value_of refused pm4 --length 8 --set 'gfx=gfx803')" PM4

"$aqueduct" chain > "$work/one"
"$aqueduct" chain > "$work/two"
check "the table is equal each time" cmp "$work/one" "$work/two"
check "every device model has every way" same \
  "$(wc -l < "$work/one")" \
  $((5 * $("$aqueduct" list devices --names | wc -l) + 1))
check "the time of this host is there where it is asked for" python3 -c "
assert 0 < $(value_of this_host_ns_a_kernel barrier --host-time) < 1e6"
try "$aqueduct" chain --device mi210 --length 8
check "and nowhere else" same "$(contains "$out" 'this host' && echo yes)" ""

try "$aqueduct" chain --length 8 --format svg
check "the plot has a point for each row, a lane for each device" python3 -c "
import xml.dom.minidom
svg = xml.dom.minidom.parse('$work/out')
points = [p for p in svg.getElementsByTagName('path')
          if p.getAttribute('transform')]
texts = [t.firstChild.data for t in svg.getElementsByTagName('text')
         if t.firstChild]
devices = '''$("$aqueduct" list devices --names)'''.split()
assert len(points) == 5 * len(devices) + 5, len(points)
assert set(devices) <= set(texts)"
sed '1,/<!-- chains:begin/d; /<!-- chains:end/,$d' \
  "$srcdir/doc/tables/chains.md" | sed '1d; $d' > "$work/page"
python3 "$srcdir/tools/chain_docs.py" "$aqueduct" > "$work/table"
check "the page has the table (make chain-docs)" cmp "$work/page" "$work/table"
"$aqueduct" chain --format svg > "$work/plot.svg"
check "and the plot" cmp "$work/plot.svg" "$srcdir/doc/pictures/chains.svg"
finish
