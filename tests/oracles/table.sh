#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/tables/oracles.md from the tests' comparisons: table.sh ORACLES.TSV ROWS
cat <<'HEAD'
# Oracles

Results of scheduling theory, beside the results of rings, packets, policies and a
device model without launch costs. `make check-oracles` runs all cases and writes
this page; `make check` runs a part, with a tenth of the jobs.

Jobs have one kernel of mean duration 1, seeds are fixed. A mean has to lie within
4 standard errors (of 30 batches, a tenth of the jobs left out as warm-up), and
the standard error below a tenth of it; a value without a standard error is equal
in picoseconds. The test also checks in each run Little's law (the area below the
number of jobs is the sum of responses), utilisation (no server idles while a job
waits, and the served work equals the requested work), and, at the transport's
table of operations, a packet for each command and a doorbell for each job: a
policy whose jobs bypass it fails.

HEAD
awk -F '\t' '
  NR == FNR { rows[$1] = rows[$1] sprintf("| %s | %s | %s | %s | %s |\n", $2,
    $3, $4, $5, $6); next }
  {
    print "## " $1 "\n"
    if ($2 in rows)
      printf "`%s`\n\n| case | theory | simulated | standard error | jobs |\n" \
        "|---|---|---|---|---|\n%s\n", $2, rows[$2]
    else if ($2 ~ / /)
      print "In " $2 ".\n"
    else
      print "`" $2 "`\n"
  }' "$2" "$1" | sed '$d'
page=$(dirname "$0")/../gpu/isa
sh "$page/static.sh" page "$page/static.tsv" "$page/llvm.tsv"
