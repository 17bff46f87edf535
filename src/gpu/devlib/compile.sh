#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the device library for one target: compile.sh CLANG TARGET OUT, in
# the top of the source tree, so that no path of this machine gets into it.
set -eu
clang=$1 target=$2 out=$3
# AMD's runtime of ROCm 5.2 finds kernels by .symtab alone, so that stays.
# Runtimes that know no generic targets may know no V6 either.
version=-mcode-object-version=5
case $target in
*-generic) version='-mcode-object-version=6 -Wno-unknown-warning-option' ;;
esac
# shellcheck disable=SC2086 # a list of flags
exec "$clang" --target=amdgcn-amd-amdhsa -mcpu="$target" $version \
  -std=c11 -O2 -ffreestanding -fno-builtin -nogpulib -nostdlib -fno-ident \
  -ffunction-sections -fdata-sections -Wl,--gc-sections \
  -Wall -Wextra -Isrc/cmdbuf/device/shim -Isrc -Wl,--discard-all -o "$out" \
  src/cmdbuf/device/library.c
