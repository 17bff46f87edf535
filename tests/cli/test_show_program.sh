#!/bin/sh
# SPDX-License-Identifier: MIT
# aqueduct show FILE disassembles recorded programs.
# shellcheck source=tests/cli/lib.sh
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
program=$srcdir/tests/fuzz/corpus/program/flow

try "$aqueduct" show "$program"
check "a program is shown a command a line" [ "$status" = 0 ]
check "conditions are shown" contains "$out" \
  "branch_if < 64 bits target=0 next=2 value=slot0+0x0 against=5"
check "its buffers are shown" contains "$out" "slot 0: at least 12 bytes"

try "$aqueduct" show --json "$program"
check "with --json it is JSON" is_json "$work/out"
check "JSON has the fields of records" contains "$out" '"against": 5'

head -c 5000 "$program" > "$work/cut"
try "$aqueduct" show "$work/cut"
check "a damaged program is refused" [ "$status" = 2 ]
check "and named" contains "$err" "cut: 5000 bytes; 5376 expected"

finish
