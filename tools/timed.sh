#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: timed.sh FILE KIND COMMAND…
# Runs a command and adds a line to FILE: KIND, seconds by the clock, of the
# processor in the program and in the system, and the name behind -o or
# --test-name.
set -u
file=$1 kind=$2
shift 2
name=- before=
for argument; do
  case $before in -o | --test-name) name=$argument ;; esac
  before=$argument
done
TIMEFORMAT='%R %U %S'
spent=$(mktemp)
exec 3>&2
{ time "$@" 2>&3 3>&-; } 2> "$spent"
status=$?
echo "$kind $(cat "$spent") $name" >> "$file"
rm -f "$spent"
exit $status
