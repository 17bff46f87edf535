#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints dispatches of the simulated driver's queues in wall time, of one to eight
# threads with a queue each, and the memory that 100000 leave.
# No test: times are this machine's. `make driver-bench`.
set -e
aqueduct=${AQ_BUILDDIR:-.}/aqueduct
door=${AQ_BUILDDIR:-.}/tests/dropin/kfd/drive_door
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
AQUEDUCT_STORE=$work/runs.db
export AQUEDUCT_STORE
drive() { # ARGUMENT…
  "$aqueduct" exec --quiet --runtime installed --device mi210 -- "$door" "$@"
}
echo "# make driver-bench: on $(nproc) processors, $(uname -m)"
printf '# threads\tdispatches\ts\tdispatches a second\n'
for threads in 1 2 4 8; do
  drive threads "$threads" 40000 |
    sed 's/ threads, /\t/;s/ dispatches, /\t/;s/ s, /\t/;s/ a second//'
done
drive memory 100000 |
  sed 's/^/# /;s/ resident/ resident after a tenth/;s/ more$/ KiB more at the end/'
