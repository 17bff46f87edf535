#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: bare-check.sh [--keep] [--here]
# Both commands of the README on a machine where nothing is installed (bare.sh), then
# lint and the slow tests: ends with the line of `tools/check.sh all`, N passed, N
# failed, N skipped, and with its status.
set -eu
for option; do
  case $option in
  --keep | --here) ;;
  *)
    echo "bare-check: $option: expected --keep or --here" >&2
    exit 2
    ;;
  esac
done
cd "$(dirname "$0")/.."
# The script for the shell in the root; the log of a failed command is its own.
# shellcheck disable=SC2016
exec tools/bare.sh "$@" sh -c '
  began=$(date +%s)
  if ! tools/quickstart.sh > /var/tmp/quickstart.log 2>&1; then
    tail -n 40 /var/tmp/quickstart.log
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
  fi
  echo "tools/quickstart.sh: $(($(date +%s) - began)) s" >&2
  rm -rf build-quickstart
  status=0
  tools/check.sh all > /var/tmp/check.log || status=$?
  cat /var/tmp/check.log
  exit $status'
