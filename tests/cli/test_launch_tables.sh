#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of launches, graphs and returns, of a trace with known times.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

command -v python3 > /dev/null || { skip "tables of launches" "no python3"; finish; }
# Under the name of a published trace: twenty kernels that find the device idle for
# 20 us and start 3 us after their call, or for 150 us and start 7 us after it; then
# a graph of two nodes with a kernel queued behind it; then a copy whose call returns
# 2 us before its end.
mkdir -p "$work/raw"
awk '
  function row(kind, via, call, begin, end, start, done) {
    printf "{\"kind\":\"%s\",\"via\":\"%s\",\"name\":\"%s\",\"device\":{\"ordinal\":0,", kind, via,
      kind == "copy" ? "Memcpy HtoD (Host -> Device)" : "k"
    printf "\"id\":0},\"queue\":{\"ordinal\":0,\"id\":0},\"correlation\":%d,", call
    printf "\"host_begin\":%d,\"host_end\":%d,", begin * 1e6, end * 1e6
    printf "\"start\":%d,\"end\":%d%s}\n", start * 1e6, done * 1e6,
      kind == "copy" ? ",\"bytes\":64" : ""
  }
  BEGIN {
    at = 100
    for (i = 0; i < 20; i++) {
      at += i % 2 ? 150 : 20
      row("kernel", "direct", i, at - 4, at, at + (i % 2 ? 7 : 3), at + 10)
      at += 10
    }
    row("kernel", "graph", 50, at + 5, at + 8, at + 14, at + 34)
    row("kernel", "graph", 50, at + 5, at + 8, at + 34, at + 54)
    row("kernel", "direct", 51, at + 9, at + 12, at + 63, at + 65)
    row("copy", "direct", 52, at + 80, at + 95, at + 90, at + 97)
    printf "{\"kind\":\"wait\",\"name\":\"hipMemcpy\",\"correlation\":52,"
    printf "\"host_begin\":%d,\"host_end\":%d}\n", (at + 80) * 1e6,
      (at + 95) * 1e6
  }' > "$work/raw/mi210_resnet_bwd.json"
gzip "$work/raw/mi210_resnet_bwd.json"
try python3 "$srcdir/tools/launch_tables.py" "$aqueduct" "$srcdir" "$work" mi210
check "tables of launches are made" [ "$status" = 0 ]
check "with warm and cold launches and the step between" contains "$out" \
  "| mi210_resnet_bwd | 9: 3.0 / 3.0 / 3.0 | 10: 7.0 / 7.0 / 7.0 | 20.0 to 150.0: 3.0 → 7.0 |"
check "a graph that an idle device runs" contains "$out" \
  "| mi210_resnet_bwd | 2 | 3.0 | 5.0 | 9.0 |"
check "the gap behind it" contains "$out" \
  "| mi210_resnet_bwd | 1: 9.0 / 9.0 / 9.0 |"
check "and a call that returns too early" contains "$out" \
  "| mi210_resnet_bwd | copies from the host | 1: -2.0 / -2.0 / -2.0 |"
finish
