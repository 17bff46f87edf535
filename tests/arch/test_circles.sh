#!/bin/sh
# SPDX-License-Identifier: MIT
# No folder has a larger circle of files that call each other than
# circles.tsv allows it.
srcdir=${AQ_SRCDIR:-.}
builddir=${AQ_BUILDDIR:-.}
table=$srcdir/tests/arch/circles.tsv
tab=$(printf '\t')

for tool in python3 nm; do
  command -v "$tool" > /dev/null || {
    echo "1..0 # SKIP no $tool to read objects with"
    exit 0
  }
done
if ! found=$(python3 "$srcdir/tests/arch/circles.py" "$srcdir" "$builddir"); then
  echo "1..1"
  echo "not ok 1 - circles.py reads the objects of $builddir"
  exit 1
fi

limit() { # FOLDER
  awk -F '\t' -v folder="$1" '
    $1 == "-" && limit == "" { limit = $2 }
    $1 == folder { limit = $2 }
    END { print limit }' "$table"
}

count=0
while IFS=$tab read -r folder files size names; do
  count=$((count + 1))
  most=$(limit "$folder")
  ok=ok
  [ "$size" -le "$most" ] || ok="not ok"
  echo "$ok $count - $folder: largest circle of $files files is $size, at most $most"
  if [ "$size" -gt 6 ] || [ "$ok" != ok ]; then
    echo "# $names"
  fi
  if [ "$most" -gt 6 ] && [ "$size" -lt "$most" ]; then
    echo "# lower the number of $folder in circles.tsv to $size"
  fi
done << EOF
$found
EOF

# A limit for a folder that is gone would never be looked at again.
gone=
for folder in $(awk -F '\t' '/^[a-z]/ { print $1 }' "$table"); do
  case $tab$found in *"$folder$tab"*) ;; *) gone="$gone $folder" ;; esac
done
count=$((count + 1))
if [ -z "$gone" ]; then
  echo "ok $count - every row of circles.tsv names a folder"
else
  echo "not ok $count - every row of circles.tsv names a folder"
  echo "#$gone"
fi
echo "1..$count"
