#!/bin/sh
# SPDX-License-Identifier: MIT
# The docs site has every page, and no link to a page that is not there.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

if command -v mkdocs > /dev/null; then
  check "the docs make a site without a broken link" \
    "$srcdir/tools/site.sh" "$work/site"
  check "its first page is the README" \
    grep -q "Test GPU code without a GPU" "$work/site/index.html"
else
  skip "the docs make a site without a broken link" "there is no mkdocs"
fi
finish
