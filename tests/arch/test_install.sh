#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make install` leaves: a tree that can be moved, a library that programs
# build against with pkg-config, and just the headers that
# doc/api.md and doc/abi.md list.
builddir=${AQ_BUILDDIR:-.}
srcdir=${AQ_SRCDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

check() { # NAME COMMAND…
  count=$((count + 1))
  name=$1
  shift
  if "$@" > "$work/out" 2>&1; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    sed 's/^/# /' "$work/out"
  fi
}

skip() { # NAME REASON
  count=$((count + 1))
  echo "ok $count - $1 # SKIP $2"
}

case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
# The make that runs this test must not hand its jobs down.
unset MAKEFLAGS MFLAGS
if ! make -C "$builddir" -s install DESTDIR="$work/stage" > "$work/log" 2>&1; then
  sed 's/^/# /' "$work/log"
  echo "Bail out! make install failed"
  exit 1
fi
prefix=$(find "$work/stage" -name aqueduct.pc | sed 's,/lib[^/]*/pkgconfig/.*,,')
mv "$prefix" "$work/moved"
moved=$work/moved
library=$(dirname "$(find "$moved" -name 'libaqueduct.so' | head -n 1)")
PKG_CONFIG_PATH=$library/pkgconfig
export PKG_CONFIG_PATH

check "the moved program runs and has its device models" \
  sh -c "'$moved/bin/aqueduct' show mi300x | grep -q dispatch_setup"

cat > "$work/user.c" << 'C'
#include <aqueduct/transports.h>
int main(void)
{
  aq_transport_stack *stack;
  aq_transport *transport;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_options options = {.size = sizeof options};
  if (aq_transport_stack_create("sim", NULL, &stack, &diag) != AQ_OK ||
      aq_transport_stack_open(stack, &options, &transport, &diag) != AQ_OK)
    return 1;
  transport->ops->close(transport);
  aq_transport_stack_destroy(stack);
  return 0;
}
C
# What pkg-config says is all that a program needs, at run time too.
unset LD_LIBRARY_PATH
flags=$(pkg-config --define-prefix --cflags --libs aqueduct)
# shellcheck disable=SC2086 # a list of flags
check "a program builds against the moved library" \
  ${AQ_CC:-cc} -std=c11 "$work/user.c" $flags -o "$work/user"
check "and opens the simulator" "$work/user"

headers() {
  (cd "$moved/include/aqueduct" && ls ./*.h ./*.def) | sed 's,^\./,,' | sort
}
# Each header alone and all of them in one file, without a warning.
compile() { # LANGUAGE STANDARD COMPILER…
  language=$1
  standard=$2
  shift 2
  : > "$work/all.txt"
  for header in $(headers | grep '\.h$'); do
    # The declaration keeps a header of macros from being an empty file.
    printf '#include <aqueduct/%s>\nextern int aq_used;\n' "$header" \
      > "$work/one.txt"
    "$@" "-std=$standard" -Wall -Wextra -pedantic -Werror -fsyntax-only \
      -I"$moved/include" -x "$language" "$work/one.txt" || return 1
    cat "$work/one.txt" >> "$work/all.txt"
  done
  "$@" "-std=$standard" -Wall -Wextra -pedantic -Werror -fsyntax-only \
    -I"$moved/include" -x "$language" "$work/all.txt"
}
# shellcheck disable=SC2086 # a compiler may be several words
check "the installed headers compile as C11, alone and together" \
  compile c c11 ${AQ_CC:-cc}
if ${AQ_CXX:-c++} --version > /dev/null 2>&1; then
  # shellcheck disable=SC2086 # as above
  check "the installed headers compile as C++17, alone and together" \
    compile c++ c++17 ${AQ_CXX:-c++}
else
  skip "the installed headers compile as C++17, alone and together" \
    "no C++ compiler"
fi

# NAME TAB PLACE TAB DOCUMENTED of each public declaration: 1 when a comment, or
# another declaration that has one, is on the line above.
declarations() {
  awk '
    FNR == 1 || /^$/ { above = 0 }
    /^\/\*/ { comment = 1 }
    comment { if (/\*\//) { comment = 0; above = 1 }; next }
    /^AQ_API/ || (/^[a-z].*[ *]aq(sim)?_[a-z_]*\(/ && !/^(static|typedef)/) {
      text = ""; open = 1; place = FILENAME ":" FNR
    }
    open {
      text = text " " $0
      if (!/;/) next
      open = 0
      sub(/ *[([].*/, "", text)
      sub(/.*[ *]/, "", text)
      print text "\t" place "\t" above
      next
    }
    { above = 0 }' "$moved"/include/aqueduct/*.h | sed "s,$moved/include/,,"
}
declarations > "$work/declared"
# Plug-ins define aq_NAME_plugin, not the library.
cut -f 1 "$work/declared" | grep -v '_plugin$' | sort -u > "$work/names"
nm -D --defined-only "$library/libaqueduct.so" |
  awk '$2 ~ /[TDRB]/ && $3 !~ /^AQUEDUCT_/ { sub(/@.*/, "", $3); print $3 }' |
  sort -u > "$work/exports"
check "the library exports what the installed headers declare, nothing else" \
  diff "$work/names" "$work/exports"
check "and that is not nothing" grep -qx aq_transport_stack_open "$work/exports"
undocumented() {
  awk -F '\t' '!$3 { print $2 ": " $1 " has no comment"; bad = 1 }
    END { exit bad }' "$work/declared"
}
check "a comment precedes each public declaration" undocumented
headers > "$work/installed"
{
  sed -n '/<!-- api:begin/,$s/^| `\([a-z_]*\.h\)`.*/\1/p' "$srcdir/doc/api.md"
  grep -o '[a-z_]*\.def' "$srcdir/doc/abi.md"
} | sort -u > "$work/listed"
check "doc/api.md and doc/abi.md list the installed headers" \
  diff "$work/listed" "$work/installed"
"$srcdir/tools/api-index.sh" "$moved/include" > "$work/index"
sed '1,/<!-- api:begin/d; /<!-- api:end/,$d' "$srcdir/doc/api.md" |
  grep . > "$work/documented"
check "doc/api.md has the index of the headers (make api-docs)" \
  diff "$work/documented" "$work/index"

# ---- the examples, as users build and run them ----

cp -R "$srcdir/doc/examples" "$work/examples"
chmod -R u+w "$work/examples"
make_example() { # FOLDER [TARGET…]
  folder=$1
  shift
  make -C "$work/examples/$folder" CC="${AQ_CC:-cc}" CXX="${AQ_CXX:-c++}" \
    PKG_CONFIG='pkg-config --define-prefix' "$@"
}
examples=$(sed -n 's/^C_EXAMPLES = //p' "$srcdir/doc/examples/Makefile")
(cd "$srcdir/doc/examples" && printf '%s\n' *.c) | sort > "$work/sources"
# shellcheck disable=SC2086 # a list of names
printf '%s.c\n' $examples | sort > "$work/named"
check "the Makefile of the examples names each of them" \
  diff "$work/sources" "$work/named"
run_example() { # EXAMPLE: with the simulator in the place of a GPU
  (cd "$work/examples" &&
    AQUEDUCT_DEVICE=mi210 AQUEDUCT_LIBHSA_PATH=$library/aqueduct "./$1")
}
for example in $examples; do
  check "example $example builds" make_example . "$example"
  check "and example $example runs" run_example "$example"
done

operations() { # the runs of the example lie in a store
  AQUEDUCT_LIBHSA_PATH=$library/aqueduct \
    "$work/examples/operations" "$work/operations.db" &&
    [ "$("$moved/bin/aqueduct" --store "$work/operations.db" \
      export 1 --format jsonl | grep -c '"kind":"operation"')" = 5 ] &&
    [ "$("$moved/bin/aqueduct" --store "$work/operations.db" \
      export 2 --format jsonl | grep -c '"kind":"operation"')" = 5 ]
}
check "the operations of sim and of hsa are stored and compared" operations

store=$work/runs.db
scenario=$srcdir/traces/scenarios/arrivals.json
hottest() { # as many calls as the run has kernels
  "$moved/bin/aqueduct" run "$scenario" --store "$store" &&
    rows=$("$moved/bin/aqueduct" export latest --store "$store" \
      --format jsonl | grep -c '"kind":"kernel"') &&
    "$work/examples/hottest" "$store" > "$work/hottest.txt" &&
    [ "$(awk '{ sum += $3 } END { print sum }' "$work/hottest.txt")" = "$rows" ]
}
if ${AQ_CXX:-c++} --version > /dev/null 2>&1; then
  check "example hottest builds, in C++17" make_example . hottest
  check "and sums the kernels of a stored run" hottest
  not_there() {
    ! "$work/examples/hottest" "$store" nobody 2> "$work/err" &&
      grep -q nobody "$work/err"
  }
  check "and names a run that is not there" not_there
  check "example what_if builds, in C++17" make_example . what_if
  what_if() { # every dispatch has a partner, and the GPUs differ
    "$work/examples/what_if" "$scenario" mi300x mi210 > "$work/what_if.txt" &&
      awk 'NR == 1 { bad = $1 != rows || $4 != rows }
        NR == 2 { exit bad || $5 == $7 }' \
        rows="$rows" "$work/what_if.txt"
  }
  check "and matches a run with its replay on another GPU" what_if
else
  skip "example hottest builds, in C++17" "no C++ compiler"
fi

check "the transport of the examples builds" make_example transport
check "and runs in the installed program" "$moved/bin/aqueduct" run \
  "$scenario" --store "$store" --transport "$work/examples/transport/fixed.so"
echo "1..$count"
