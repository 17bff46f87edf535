#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs missing packages (Debian, Ubuntu), builds in build-check/ and runs
# every test; with AQ_LINT set it lints first. Ends with one line: N passed, N
# failed, N skipped.
set -eu
if [ $# -gt 0 ]; then
  echo "check: $1: expected no arguments" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
. tools/packages.sh
aq_install "$aq_needs $aq_test_needs"
# Tests of HIP programs are SKIPs without these.
aq_install "$aq_hip_needs" ||
  echo "HIP and rocminfo are not available here: their tests are SKIPs" >&2

build=$PWD/build-check
rm -rf "$build"
mkdir -p "$build"
./autogen.sh > "$build/autogen.log" 2>&1 || {
  cat "$build/autogen.log"
  exit 1
}
cd "$build"
../configure --enable-maintainer-mode --silent
make -s -j"$(nproc)"

linted=0
if [ -n "${AQ_LINT:-}" ]; then
  aq_install "$aq_lint_needs" ||
    echo "lint: not all tools are available here" >&2
  AQ_LINT_SHALLOW=1 make -s lint || linted=1
fi
[ "$linted" = 0 ] || echo "lint: found something, see above: no success" >&2

status=0
make -s -k -j"$(nproc)" check-all > check.log 2>&1 || status=$?
grep -E '^(FAIL|ERROR|XPASS)' check.log || true
# Tests of threads and processes may fail on a busy machine: the script repeats
# failed ones once, and reports it.
repeated=0
if [ "$status" != 0 ] && grep -q '^# TOTAL' check.log; then
  if make -s -k recheck-all > recheck.log 2>&1; then
    repeated=$(($(sed -n 's/^# \(FAIL\|ERROR\): *//p' check.log |
      awk '{ n += $1 } END { print n + 0 }')))
    echo "repeated: $repeated failed at first and passed alone" >&2
    status=0
  else
    grep -E '^(FAIL|ERROR|XPASS)' recheck.log || true
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
echo "$passed passed, $failed failed, $(count SKIP) skipped"
[ "$linted" = 0 ] && [ "$status" = 0 ] && [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
