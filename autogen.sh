#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure from configure.ac. Needed once after a fresh checkout.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf --install --force --warnings=all
