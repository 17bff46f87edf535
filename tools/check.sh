#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: check.sh [all]
# Installs missing packages (Debian, Ubuntu), builds in build-check/ and runs the
# tests. `all`, as continuous integration does: then lint, the slow tests
# (AQ_SLOW_TESTS of tests/local.mk), and all parts of the tests of which a slice ran.
# Only the long targets are left then (make long). On Debian 12, where all that the tests
# use is to be had, a test that skips for a reason which tests/skips.tsv does not list
# fails too. Ends with one line: N passed, N failed, N skipped.
set -eu
all=
case "$#${1-}" in
0) ;;
1all) all=1 ;;
*)
  echo "check: $*: expected all, or no argument" >&2
  exit 2
  ;;
esac
cd "$(dirname "$0")/.."
. tools/packages.sh
build=$PWD/build-check
rm -rf "$build"
mkdir -p "$build"

first=$(date +%s)
began=$first
phase() { # NAME: what took the time until now
  now=$(date +%s)
  echo "check: $1: $((now - began)) s" >&2
  began=$now
}

# The packages of the tests come while the compiler works: on the tests, too, in half
# the time that optimised ones take (gcc warns of other things then).
flags="-O1 -Wno-format-truncation"
aq_install "$aq_needs $aq_unit_needs"
phase "packages of the build"
(
  aq_install "$aq_test_needs $aq_hip_needs ${all:+$aq_lint_needs}" || {
    echo "not all packages of the tests are to be had here" >&2
    exit 1
  }
) > "$build/packages.log" 2>&1 &
packages=$!
built=0
{
  ./autogen.sh &&
    cd "$build" &&
    # No library is optional here, and no debug information: it takes time to link.
    ../configure --enable-maintainer-mode --silent CFLAGS=-O2 \
      --with-check --with-smartcols --with-zstd &&
    make -s -j"$(nproc)" &&
    make -s -j"$(nproc)" CFLAGS="$flags" check TESTS=
} > "$build/build.log" 2>&1 || built=$?
wait $packages || cat "$build/packages.log" >&2
if [ "$built" != 0 ]; then
  tail -n 60 "$build/build.log"
  exit 1
fi
cd "$build"
phase "build, and the packages of the tests"

status=0
log=check.log
tests() { # GOAL: one more test than there are processors, since many wait
  make -s -k -j$(($(nproc) + 1)) CFLAGS="$flags" "$1" >> $log 2>&1 || status=$?
}
count() { # RESULT…: how many tests ended so, each where it ran last
  for result; do
    find tests -name '*.trs' -exec sed -n "/^:test-result: $result\( .*\)\{0,1\}\$/p" {} +
  done | wc -l
}

tests check-most
phase "tests"
echo "tools/check.sh: $((began - first)) s" >&2

linted=0
if [ -n "$all" ]; then
  AQ_LINT_SHALLOW=1 make -s lint || linted=1
  phase "lint"
  [ "$linted" = 0 ] || echo "lint: found something, see above: no success" >&2
  tests check-rest
  phase "slow tests"
  echo "tools/check.sh all: $((began - first)) s" >&2
fi

grep -E '^(FAIL|ERROR|XPASS)' $log || true
# Tests of threads and processes may fail on a busy machine: the script repeats
# failed ones once, and reports it.
failed=$(count FAIL ERROR XPASS)
if [ "$failed" != 0 ]; then
  first_failed=$failed
  status=0
  log=recheck.log
  tests recheck-all
  failed=$(count FAIL ERROR XPASS)
  echo "repeated: $((first_failed - failed)) of $first_failed passed alone" >&2
  grep -E '^(FAIL|ERROR|XPASS)' $log || true
  # Of each script or program that failed, the end of its output.
  sed -n 's/^\(FAIL\|ERROR\): \([^ ]*\).*/\2/p' $log | sort -u |
    while read -r test; do
      [ ! -f "${test%.sh}.log" ] ||
        { echo "== ${test%.sh}.log" && tail -n 30 "${test%.sh}.log"; }
    done
fi
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then # it did not build
  tail -n 60 $log
  failed=1
fi

passed=$(count PASS)
skips=0
../tests/skips.sh ../tests/skips.tsv . || skips=$?
if [ "$skips" != 0 ] && ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
  echo "check: these skips fail on Debian 12 only" >&2
  skips=0
fi
echo "$passed passed, $failed failed, $(count SKIP) skipped"
[ "$linted" = 0 ] && [ "$failed" = 0 ] && [ "$skips" = 0 ] && [ "$passed" -gt 0 ]
