#!/bin/sh
# SPDX-License-Identifier: MIT
# Static checks of the whole tree; each tool that is not there is named and
# passed over. Exit 1 when one of them finds something.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-.}
status=0

run() { # TOOL ARGUMENTS…
  if command -v "$1" > /dev/null 2>&1; then
    "$@" || status=1
  else
    echo "lint: $1 is not installed, passed over" >&2
  fi
}

# The device library's kernels are compiled for GPUs, with headers given there.
sources=$(git ls-files 'src/*.c' ':!src/devlib/device')
tests=$(git ls-files 'tests/*.c')
scripts=$(git ls-files 'tests/*.sh')
headers=$(git ls-files 'src/*.h' 'tests/*.h')
# shellcheck disable=SC2086 # lists of files
{
  run clang-format --dry-run --Werror $sources $tests $headers
  run shellcheck autogen.sh .ci/run tools/*.sh $scripts
  run cppcheck --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppress=missingInclude --error-exitcode=1 -Isrc \
    -D_GNU_SOURCE $sources
  run clang-tidy --quiet $sources -- -std=gnu11 \
    -D_GNU_SOURCE -Isrc -I"$build/src" -I"$build"
}
exit $status
