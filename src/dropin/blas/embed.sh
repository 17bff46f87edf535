#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes C that holds the objects in one offload bundle: embed.sh OBJECT..., in the
# top of the source tree.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh src/gpu/devlib/bundle.sh "$work/bundle" "$@" > /dev/null
echo '/* Made by src/dropin/blas/embed.sh. */'
echo '#include "dropin/blas/embedded.h"'
# As clang's bundler aligns the bundles of HIP.
echo '_Alignas(4096) const unsigned char aqblas_bundle[] = {'
od -An -v -tx1 "$work/bundle" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
echo '};'
