#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes C that holds objects of targets.tsv and their table of contents:
# embed.sh exact|generic|family|bundle, in the top of the source tree.
#   exact    an object for each processor of a device model
#   generic  an object for each of LLVM's generic targets, and for processors
#            that none of them covers
#   family   both, in an offload bundle for each product family
#   bundle   both, in one offload bundle
set -eu
which=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows() {
  grep -v '^#' src/gpu/devlib/targets.tsv
}
files() {
  sed 's,.*,src/gpu/devlib/objects/&.hsaco,'
}
case $which in
exact | generic)
  rows | awk -v set="$which" '$2 == set || $2 == "both" {print $1}' | files |
    while read -r object; do
      cp "$object" "$work/$(basename "$object" .hsaco).image"
      echo "$(basename "$object" .hsaco) 0 $(wc -c < "$object")" \
        > "$work/$(basename "$object" .hsaco).rows"
    done
  ;;
family)
  for family in $(rows | cut -f 3 | tr , '\n' | sort -u); do
    # shellcheck disable=SC2046 # a list of files
    sh src/gpu/devlib/bundle.sh "$work/$family.image" \
      $(rows | awk -v f="$family" '("," $3 ",") ~ "," f "," {print $1}' |
        files) > "$work/$family.rows"
  done
  ;;
bundle)
  # shellcheck disable=SC2046 # a list of files
  sh src/gpu/devlib/bundle.sh "$work/all.image" $(rows | cut -f 1 | files) \
    > "$work/all.rows"
  ;;
*)
  echo "embed.sh: '$which'; exact, generic, family or bundle expected" >&2
  exit 1
  ;;
esac
echo "/* Made by src/gpu/devlib/embed.sh $which. */"
echo '#include "gpu/devlib/devlib.h"'
number=0
for image in "$work"/*.image; do
  echo "_Alignas(16) static const unsigned char image_${number}[] = {"
  od -An -v -tx1 "$image" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
  echo '};'
  sed "s/^\([^ ]*\) \([^ ]*\) *\(.*\)/  {\"\1\", image_$number + \2, \3},/" \
    "${image%.image}.rows" >> "$work/table"
  number=$((number + 1))
done
echo 'const aq_devlib_object aq_devlib_objects[] = {'
sort -u -t '"' -k 2,2 "$work/table"
echo '  {NULL, NULL, 0},'
echo '};'
