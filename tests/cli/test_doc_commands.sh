#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of the pages in doc/ run, and print the outputs shown there. The
# README's are in test_readme.sh.
srcdir=$(cd "${AQ_SRCDIR:-.}" && pwd)
builddir=$(cd "${AQ_BUILDDIR:-.}" && pwd)

if ! command -v python3 > /dev/null || [ ! -e "$builddir/.libs" ]; then
  echo "1..0 # SKIP there is no python3, or no library was built"
  exit
fi
if [ -n "${AQ_SANITIZERS-}" ]; then
  echo "1..0 # SKIP programs of the pages are not sanitized"
  exit
fi
cd "$srcdir" || exit 1
# Pages run make, which would print about the jobs of this one.
unset MAKEFLAGS MAKELEVEL MFLAGS
# Every page that has a block of commands.
# shellcheck disable=SC2046 # names of pages have no spaces
exec python3 tools/doc-commands.py "$builddir" \
  $(grep -lrE --include='*.md' '^```(sh|console|bash)' doc | sort)
