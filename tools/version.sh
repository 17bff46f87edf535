#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the version, without a newline: that of a tarball (.version), else of
# the nearest git tag vX.Y.Z, with "+N.COMMIT" for N commits after it; of a tree
# without either, the one below.
cd "$(dirname "$0")/.." || exit 1
version=0.1.0
if [ -f .version ]; then
  version=$(cat .version)
elif [ -e .git ]; then
  described=$(git describe --tags --match 'v[0-9]*' 2> /dev/null) &&
    version=$(echo "$described" | sed 's/^v//; s/-\([0-9]*\)-g/+\1./')
fi
printf %s "$version"
