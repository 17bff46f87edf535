#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: skips.sh TABLE BUILD
# Compares the skips in the logs of the tests of BUILD with a table of permitted
# ones: how many, the reason (an extended regular expression of all of it), why.
# Prints each reason with its count; exit 1 when one is not permitted, or occurs
# more often than permitted.
set -eu
table=$1
build=$2
find "$build/tests" -name '*.log' ! -name test-suite.log -print0 |
  xargs -0 sed -n 's/^\(ok [0-9]* .*\|1\.\.0 \)# SKIP *//p' |
  sort | uniq -c | awk -v table="$table" '
    BEGIN {
      FS = "\t"
      while ((getline < table) > 0)
        if (!/^#/ && NF == 3) { most[++n] = $1; reason[n] = $2 }
    }
    {
      match($0, /^ *[0-9]+ /)
      count = substr($0, 1, RLENGTH) + 0
      why = substr($0, RLENGTH + 1)
      row = 0
      for (i = 1; i <= n; i++) if (why ~ ("^(" reason[i] ")$")) row = i
      if (row) seen[row] += count
      printf "%4d %s%s\n", count, why, row ? "" : "  <- not in " table
      if (!row) bad = 1
    }
    END {
      for (i = 1; i <= n; i++) if (seen[i] > most[i]) {
        printf "skips: %d times %s: at most %d are permitted\n", seen[i], reason[i], most[i]
        bad = 1
      }
      exit bad
    }' >&2
