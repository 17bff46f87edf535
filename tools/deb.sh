#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the Debian packages: deb.sh DISTRIBUTED-TREE TO. The tree is one that
# `make distdir` made; packages and the list of changes lie in TO afterwards.
set -eu
tree=$1 to=$2
for tool in dpkg-buildpackage dh; do
  command -v "$tool" > /dev/null || {
    echo "deb.sh: $tool is missing: apt-get install dpkg-dev debhelper" >&2
    exit 2
  }
done
rm -rf "$to"
mkdir -p "$to"
cp -a "$tree" "$to/tree"
chmod -R u+w "$to/tree"
(cd "$to/tree" && DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-parallel=$(nproc)}" \
  dpkg-buildpackage -b -us -uc > ../build.log 2>&1) || {
  tail -20 "$to/build.log" >&2
  exit 1
}
rm -rf "$to/tree"
ls "$to"/*.deb
