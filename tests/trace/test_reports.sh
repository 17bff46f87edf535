#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles and programs of the shapes of public bug reports (reports.py).
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

if ! command -v python3 > /dev/null; then
  skip "shapes of public bug reports" "needs python3"
  finish
  exit
fi
# A sanitized library needs its program sanitized.
${AQ_CC:-cc} ${AQ_SANITIZERS:+-fsanitize=$AQ_SANITIZERS} -o "$work/program" \
  "$srcdir/tests/trace/reports.c" \
  "${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so" -lpthread || exit 1
mkdir "$work/reports"
PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/tests/trace/reports.py" \
  "$aqueduct" "$work/reports" "$work/program" || echo "not ok - it did not end"
