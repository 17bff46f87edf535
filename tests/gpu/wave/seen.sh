#!/bin/sh
# SPDX-License-Identifier: MIT
# The instructions that execute and that no test executed: seen.sh SEEN ISA.MD.
# SEEN has opcode, name and target of each instruction that the tests of src/gpu/wave
# executed (AQ_SEEN); the page lists what executes. A row of the page needs a test
# on one of its targets: rows of one name differ in encoding or operands. Ends with
# 1 if there is a row without one.
awk -F '|' '
  FNR == NR { split($0, s, " "); seen[s[1] " " s[2] " " s[3]] = 1; next }
  /^\| opcode/ { for (i = 4; i < NF; i++) { gsub(/ /, "", $i); target[i] = $i } }
  /^\| 0x/ {
    op = $2; name = $3; gsub(/ /, "", op); gsub(/[ `]/, "", name)
    executes = covered = 0; where = ""
    for (i = 4; i < NF; i++) {
      if ($i !~ /\*\*x\*\*/) continue
      executes = 1; where = where " " target[i]; all_of[target[i]]++
      if (seen[op " " name " " target[i]]) { covered = 1; of[target[i]]++ }
    }
    rows += executes; with += covered
    if (executes && !covered) print "without vectors: " op " " name " of" where
  }
  END {
    for (i = 4; target[i] != ""; i++)
      printf "%s: %d of %d rows that execute are executed on it\n",
             target[i], of[target[i]], all_of[target[i]]
    print with + 0 " of " rows + 0 " rows that execute have vectors"
    exit !(rows > 1000 && with == rows)
  }' "$1" "$2"
