#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the docs site: site.sh FOLDER. The pages are doc/, and the README as
# index. Fails on a link to a page that is not there. Needs mkdocs.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
command -v mkdocs > /dev/null || {
  echo "site.sh: mkdocs is missing: apt-get install mkdocs" >&2
  exit 2
}
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pages"
cp "$source/doc/site.css" "$work/pages"
cp -R "$source"/doc/*.md "$source/doc/formats" "$source/doc/adr" \
  "$source/doc/tables" "$source/doc/pictures" "$source/doc/examples" "$source/doc/tutorials" \
  "$work/pages"
# mkdocs takes a README.md for an index.
mv "$work/pages/README.md" "$work/pages/map.md"
sed -i 's#](adr/)#](adr/0001-contracts-and-layers.md)#' "$work/pages/map.md"
links='s#](doc/README.md)#](map.md)#; s#](doc/#](#g
  s#(LICENSE)#(https://spdx.org/licenses/MIT.html)#'
sed "$links" "$source/README.md" > "$work/pages/index.md"
for page in CHANGELOG CONTRIBUTING SECURITY; do
  sed "$links" "$source/$page.md" > "$work/pages/$page.md"
done
# The folders' pages by their headings, behind the pages that site.yml orders.
{
  cat "$source/doc/site.yml"
  for folder in "formats:File formats" "tables:Tables" "adr:Decisions"; do
    echo "  - ${folder#*:}:"
    for page in "$work/pages/${folder%%:*}"/*.md; do
      heading=$(sed -n 's/^# *//p;T;q' "$page" | tr -d '\`')
      echo "      - \"$heading\": ${folder%%:*}/$(basename "$page")"
    done
  done
} > "$work/mkdocs.yml"
cd "$work"
mkdocs build --strict --site-dir "$out" 2> "$work/log" || {
  grep -E '^.*(WARNING|ERROR)' "$work/log" >&2
  exit 1
}
