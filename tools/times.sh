#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: times.sh FILE
# The tables of where a build and its tests spend their time, from the lines that
# timed.sh wrote: compiler seconds by folder, and the slowest tests.
set -eu
echo "| folder | objects and programs | compiler, s of processor |"
echo "|---|---|---|"
awk '$1 == "cc" && $5 ~ /^(src|tests)\// {
    parts = split($5, part, "/")
    folder = part[1] "/" part[2]
    count[folder]++; spent[folder] += $3 + $4; all += $3 + $4; objects++
  }
  END {
    for (folder in count) printf "%s\t%d\t%.1f\n", folder, count[folder], spent[folder]
    printf "all\t%d\t%.1f\n", objects, all
  }' "$1" | sort -t "$(printf '\t')" -k 3,3 -rn |
  awk -F '\t' '{ print "| " $1 " | " $2 " | " $3 " |" }'
echo
echo "| test | s by the clock | s of processor |"
echo "|---|---|---|"
awk '$1 == "test" {
    printf "%s\t%.1f\t%.1f\n", $5, $2, $3 + $4
    clock += $2; spent += $3 + $4; count++
  }
  END { printf "all %d, one after the other\t%.1f\t%.1f\n", count, clock, spent }' "$1" |
  sort -t "$(printf '\t')" -k 2,2 -rn | head -n 31 |
  awk -F '\t' '{ print "| " $1 " | " $2 " | " $3 " |" }'
