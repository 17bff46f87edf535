#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the kernels of BLAS for one target: compile.sh CLANG TARGET OUT, in the
# top of the source tree, so that no path of this machine gets into it.
set -eu
# HIP 5.2 takes no code object above version 4, and crashes without a .symtab.
clang=$1 target=$2 out=$3
exec "$clang" --target=amdgcn-amd-amdhsa -mcpu="$target" \
  -mcode-object-version=4 -std=c11 -Os -fno-unroll-loops -ffreestanding \
  -fno-builtin -fno-math-errno -nogpulib -nostdlib -fno-ident \
  -ffunction-sections -Wall -Wextra -Isrc -Wl,--discard-all -o "$out" \
  src/dropin/blas/device/kernels.c
