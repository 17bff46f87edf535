#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make install` leaves: a tree that can be moved, a library that programs
# build against with pkg-config, and just the headers that doc/abi.md lists.
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
flags=$(pkg-config --define-prefix --cflags --libs aqueduct)
# shellcheck disable=SC2086 # a list of flags
check "a program builds against the moved library" \
  ${AQ_CC:-cc} -std=c11 "$work/user.c" $flags -o "$work/user"
check "and opens the simulator" env LD_LIBRARY_PATH="$library" "$work/user"

headers() {
  (cd "$moved/include/aqueduct" && ls ./*.h ./*.def) | sed 's,^\./,,' | sort
}
lone_headers() {
  for header in $(headers | grep '\.h$'); do
    printf '#include <aqueduct/%s>\n' "$header" |
      ${AQ_CC:-cc} -std=c11 -fsyntax-only -I"$moved/include" -x c - || return 1
  done
}
check "every installed header compiles alone, in C11" lone_headers
headers > "$work/installed"
sed -n '/^| header/,/^$/p' "$srcdir/doc/abi.md" | grep -o '[a-z_]*\.\(h\|def\)' |
  sort -u > "$work/listed"
check "doc/abi.md lists the installed headers" \
  diff "$work/listed" "$work/installed"
echo "1..$count"
