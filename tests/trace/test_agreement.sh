#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles as an independent reader counts them, whole and damaged (damage.py).
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

if ! command -v python3 > /dev/null; then
  skip "profiles agree with an independent reader" "needs python3"
  finish
  exit
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/tests/trace/damage.py" \
  "$aqueduct" "${AQ_DATA:-$srcdir/../shared/data}/measured" "$work" \
  ${AQ_DAMAGE:+"$AQ_DAMAGE"} || echo "not ok - it did not end"
