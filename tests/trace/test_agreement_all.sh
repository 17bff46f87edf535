#!/bin/sh
# SPDX-License-Identifier: MIT
# Every published profile and its mutations (damage.py).
AQ_DAMAGE=long exec "${AQ_SRCDIR:-.}/tests/trace/test_agreement.sh"
