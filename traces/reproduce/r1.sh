#!/bin/sh
# SPDX-License-Identifier: MIT
# r1.sh AQUEDUCT DATA
exec python3 "$(dirname "$0")/reproduce.py" "$1" "$2" r1
