#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs fuzz targets: run.sh SRCDIR TARGET…
#
# With clang and its libFuzzer: coverage-guided, under address and undefined
# behaviour sanitizers. Else the normal compiler and tests/fuzz/driver.c, which
# mutates the seeds in a fixed order (with sanitizers where they link).
set -eu

srcdir=$1
shift
work=fuzz-build
mkdir -p "$work"

probe() {
  printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' "$1" \
    >"$work/probe.c"
  shift
  "$@" "$work/probe.c" -o "$work/probe" >/dev/null 2>&1
}

entry='int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
  { (void)d; (void)n; return 0; }'
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'
clang=${CLANG:-clang}
# shellcheck disable=SC2086 # a compiler may be several words
if probe "$entry" $clang -fsanitize=fuzzer,address,undefined; then
  cc=$clang mode=libfuzzer
  flags="-O1 -g $sanitize -fsanitize=fuzzer-no-link"
  link="$sanitize -fsanitize=fuzzer"
else
  cc=${CC:-cc} mode=driver link=
  flags="-O1 -g"
  # shellcheck disable=SC2086
  if probe 'int main(void) { return 0; }' $cc $sanitize; then
    flags="$flags $sanitize" link=$sanitize
  fi
fi
mkdir -p "$work/obj-$mode"
echo "fuzz: $mode, $cc, ${FUZZ_SECONDS:-10} s a target"

# One object for each source, made when it or a header is newer.
compile() {
  out=$work/obj-$mode/$(echo "$1" | tr '/.' '__').o
  objects="$objects $out"
  if [ -f "$out" ] && [ -z "$(find "$1" "$srcdir/src" \
      "$srcdir/tests/fuzz" -name '*.[chd]*' -newer "$out" | head -n 1)" ]; then
    return
  fi
  # shellcheck disable=SC2086
  $cc -std=gnu11 $FUZZ_CPPFLAGS $flags -c "$1" -o "$out"
}

objects=
for source in $FUZZ_SOURCES; do
  case $source in
  *.c)
    if [ -f "$source" ]; then compile "$source"; else
      compile "$srcdir/$source"
    fi ;;
  esac
done
if [ "$mode" = driver ]; then
  compile "$srcdir/tests/fuzz/driver.c"
fi
core=$objects

# Traces that were mutated lose no row without a word: FORMAT:SEEDS.
objects=
compile "$srcdir/tests/fuzz/shrink.c"
# shellcheck disable=SC2086
$cc ${link%-fsanitize=fuzzer} $objects $core $FUZZ_LIBS -o "$work/shrink"
for pair in ${FUZZ_FORMATS-}; do
  "$work/shrink" "${pair%%:*}" "$srcdir/tests/fuzz/corpus/${pair#*:}" \
    "${FUZZ_MUTANTS:-2000}" >"$work/shrink.log" || {
    echo "fuzz: $pair lost rows" >&2
    exit 1
  }
  echo "fuzz: ${pair%%:*}: $(cat "$work/shrink.log"), nothing lost"
done

failed=
for target in "$@"; do
  objects=
  compile "$srcdir/tests/fuzz/fuzz_$target.c"
  # shellcheck disable=SC2086
  $cc $link $objects $core $FUZZ_LIBS -o "$work/fuzz_$target"
  seeds=$srcdir/tests/fuzz/corpus/$target
  if [ "$mode" = libfuzzer ]; then
    mkdir -p "$work/corpus/$target"
    if ! "$work/fuzz_$target" -max_total_time="${FUZZ_SECONDS:-10}" \
      -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
      -artifact_prefix="$work/$target-" "$work/corpus/$target" "$seeds" \
      >"$work/$target.log" 2>&1; then
      grep -v 'NEW_FUNC\|^#[0-9]' "$work/$target.log" | tail -n 40
      echo "fuzz: $target failed: the input is $work/$target-*" >&2
      failed="$failed $target"
      continue
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
      "$work/$target.log")
    echo "fuzz: $target: $runs runs, nothing found"
  else
    if said=$("$work/fuzz_$target" "${FUZZ_SECONDS:-10}" "$seeds"); then
      echo "fuzz: $target: $said, nothing found"
    else
      echo "fuzz: $target failed" >&2
      failed="$failed $target"
    fi
  fi
done
[ -z "$failed" ] || {
  echo "fuzz: failed:$failed" >&2
  exit 1
}
