#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs missing packages (Debian, Ubuntu), builds in build-check/ and runs
# every test but the long targets (make long); with AQ_LINT set it lints first.
# On Debian 12, where all that the tests use is to be had, a test that skips for a
# reason which tests/skips.tsv does not list fails too. Ends with one line: N
# passed, N failed, N skipped.
set -eu
if [ $# -gt 0 ]; then
  echo "check: $1: expected no arguments" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
. tools/packages.sh
build=$PWD/build-check
rm -rf "$build"
mkdir -p "$build"

began=$(date +%s)
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
  aq_install "$aq_test_needs $aq_hip_needs ${AQ_LINT:+$aq_lint_needs}" || {
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

linted=0
if [ -n "${AQ_LINT:-}" ]; then
  AQ_LINT_SHALLOW=1 make -s lint || linted=1
  phase "lint"
fi
[ "$linted" = 0 ] || echo "lint: found something, see above: no success" >&2

# One more test than there are processors, since many wait for something.
status=0
make -s -k -j$(($(nproc) + 1)) CFLAGS="$flags" check-all > check.log 2>&1 || status=$?
phase "tests"
grep -E '^(FAIL|ERROR|XPASS)' check.log || true
# Tests of threads and processes may fail on a busy machine: the script repeats
# failed ones once, and reports it.
repeated=0
if [ "$status" != 0 ] && grep -q '^# TOTAL' check.log; then
  if make -s -k CFLAGS="$flags" recheck-all > recheck.log 2>&1; then
    repeated=$(($(sed -n 's/^# \(FAIL\|ERROR\): *//p' check.log |
      awk '{ n += $1 } END { print n + 0 }')))
    echo "repeated: $repeated failed at first and passed alone" >&2
    status=0
  else
    grep -E '^(FAIL|ERROR|XPASS)' recheck.log || true
    # Of each script or program that failed, the end of its output.
    sed -n 's/^\(FAIL\|ERROR\): \([^ ]*\).*/\2/p' recheck.log | sort -u |
      while read -r test; do
        log=${test%.sh}.log
        [ ! -f "$log" ] || { echo "== $log" && tail -n 30 "$log"; }
      done
  fi
fi
if [ "$status" != 0 ] && ! grep -q '^# TOTAL' check.log; then
  tail -n 60 check.log
fi

count() { # what automake counted under a heading
  sed -n "s/^# $1: *//p" check.log | awk '{ n += $1 } END { print n + 0 }'
}
passed=$(($(count PASS) + repeated))
failed=$(($(count FAIL) + $(count ERROR) + $(count XPASS) - repeated))
if [ "$failed" = 0 ] && [ "$status" != 0 ]; then
  failed=1
fi
skips=0
../tests/skips.sh ../tests/skips.tsv . || skips=$?
if [ "$skips" != 0 ] && ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
  echo "check: these skips fail on Debian 12 only" >&2
  skips=0
fi
echo "$passed passed, $failed failed, $(count SKIP) skipped"
[ "$linted" = 0 ] && [ "$status" = 0 ] && [ "$failed" = 0 ] &&
  [ "$skips" = 0 ] && [ "$passed" -gt 0 ]
