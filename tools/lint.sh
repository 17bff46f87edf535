#!/bin/sh
# SPDX-License-Identifier: MIT
# Static checks of the whole tree: lint.sh [BUILD [TOOL…]], all tools without
# names. A tool that is not installed is named and passed over, as is a
# clang-format of another version, which would format differently. Exit 1 when
# one of them finds something. AQ_LINT_SHALLOW: clang's analyser follows fewer
# paths, in a third of the time.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-.}
[ $# -gt 0 ] && shift
tools=${*:-clang-format shellcheck cppcheck clang-tidy prose}
jobs=$(nproc)
status=0
depth=deep
[ -z "${AQ_LINT_SHALLOW:-}" ] || depth=shallow

# The device library's kernels are compiled for GPUs, with headers given there.
sources() {
  git ls-files 'src/*.c' ':!src/gpu/devlib/device' ':!src/cmdbuf/device' \
    ':!src/dropin/blas/device'
}

there() { # TOOL
  command -v "$1" > /dev/null 2>&1 || {
    echo "lint: $1 is not installed, passed over" >&2
    return 1
  }
}

# Several processes write into one pipe: a file of their own each would be more
# orderly, but findings are rare.
check() { # TOOL
  case $1 in
  clang-format)
    there clang-format || return 0
    clang-format --version | grep -q 'version 14\.' || {
      echo "lint: clang-format is not version 14, passed over" >&2
      return 0
    }
    git ls-files 'src/*.[ch]' 'tests/*.[ch]' ':!src/gpu/devlib/device' ':!src/cmdbuf/device' |
      xargs clang-format --dry-run --Werror
    ;;
  shellcheck)
    there shellcheck || return 0
    git ls-files autogen.sh .ci/run 'tools/*.sh' 'tests/*.sh' |
      xargs shellcheck
    ;;
  cppcheck)
    there cppcheck || return 0
    sources | xargs cppcheck -j "$jobs" --quiet --std=c11 \
      --enable=warning,performance,portability --inline-suppr \
      --suppress=missingInclude --error-exitcode=1 -Isrc -D_GNU_SOURCE -D__x86_64__=1
    ;;
  clang-tidy)
    there clang-tidy || return 0
    sources | xargs -P "$jobs" -n 10 sh -c '
      build=$1 depth=$2; shift 2
      clang-tidy --quiet "$@" -- -std=gnu11 -D_GNU_SOURCE -Isrc \
        -I"$build/src" -I"$build" \
        -Xclang -analyzer-config -Xclang "mode=$depth" 2> /dev/null' \
      sh "$build" "$depth"
    ;;
  prose)
    there python3 || return 0
    tools/prose.py | tail -n 2
    tools/prose.py --count > /dev/null
    ;;
  *)
    echo "lint: no tool is called $1" >&2
    return 1
    ;;
  esac
}

for tool in $tools; do
  check "$tool" || {
    echo "lint: $tool found something" >&2
    status=1
  }
done
exit $status
