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

start=$(date +%s)
began=$start
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

failed=0
failures() { # LOG: as automake counted them
  sed -n 's/^# \(FAIL\|ERROR\|XPASS\): *//p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}
count() { # RESULT: how many tests ended so, each where it ran last
  find tests -name '*.trs' -exec sed -n "/^:test-result: $1\( .*\)\{0,1\}\$/p" {} + | wc -l
}
broken() { # LOG: a goal failed, and no test did
  tail -n 60 "$1"
  failed=$((failed + 1))
}
# One more test than there are processors, since many wait for something. Tests of
# threads and processes may fail on a busy machine: failed ones are repeated once,
# one after the other, and the script reports it.
tests() { # GOAL
  make -s -k -j$(($(nproc) + 1)) CFLAGS="$flags" "check-$1" > "check-$1.log" 2>&1 && return
  grep -E '^(FAIL|ERROR|XPASS)' "check-$1.log" || true
  first=$(failures "check-$1.log")
  if [ "$first" = 0 ]; then
    broken "check-$1.log"
    return
  fi
  repeated=0
  make -s -k CFLAGS="$flags" "recheck-$1" > "recheck-$1.log" 2>&1 || repeated=$?
  left=$(failures "recheck-$1.log")
  failed=$((failed + left))
  echo "repeated: $((first - left)) of $first passed alone" >&2
  [ "$repeated" = 0 ] || [ "$left" != 0 ] || broken "recheck-$1.log"
  grep -E '^(FAIL|ERROR|XPASS)' "recheck-$1.log" || true
  # Of each script or program that failed, the end of its output.
  sed -n 's/^\(FAIL\|ERROR\): \([^ ]*\).*/\2/p' "recheck-$1.log" | sort -u |
    while read -r test; do
      [ ! -f "${test%.sh}.log" ] ||
        { echo "== ${test%.sh}.log" && tail -n 30 "${test%.sh}.log"; }
    done
}

tests most
phase "tests"
echo "tools/check.sh: $((began - start)) s" >&2

linted=0
if [ -n "$all" ]; then
  AQ_LINT_SHALLOW=1 make -s lint || linted=1
  phase "lint"
  [ "$linted" = 0 ] || echo "lint: found something, see above: no success" >&2
  tests rest
  phase "slow tests"
  echo "tools/check.sh all: $((began - start)) s" >&2
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
