#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes C that holds the objects of the device library and their table of
# contents: embed.sh OBJECT... The name of a file without .hsaco is its target.
set -eu
echo '/* Made by src/devlib/embed.sh. */'
echo '#include "devlib/devlib.h"'
number=0
for object; do
  echo "_Alignas(16) static const unsigned char object_$number[] = {"
  od -An -v -tx1 "$object" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
  echo '};'
  number=$((number + 1))
done
echo 'const aq_devlib_object aq_devlib_objects[] = {'
number=0
for object; do
  target=$(basename "$object" .hsaco)
  echo "  {\"$target\", object_$number, sizeof object_$number},"
  number=$((number + 1))
done
echo '  {NULL, NULL, 0},'
echo '};'
