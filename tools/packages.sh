# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the lists are used by the callers
# Sourced by the set-up commands: the packages that the build needs, by
# distribution.

# need TOOL-OR-PKG-CONFIG-TEST … as "test|debian package|fedora package".
# cmd: a program on PATH; pc: a pkg-config module; h: a header.
aq_needs='
cmd:gcc|gcc|gcc
cmd:make|make|make
cmd:autoconf|autoconf|autoconf
cmd:automake|automake|automake
cmd:libtoolize|libtool|libtool
cmd:pkg-config|pkg-config|pkgconf-pkg-config
h:stdio.h|libc6-dev|glibc-devel
pc:sqlite3|libsqlite3-dev|sqlite-devel
pc:zlib|zlib1g-dev|zlib-devel
pc:yajl|libyajl-dev|yajl-devel
h:Random123/philox.h|librandom123-dev|Random123-devel
pc:smartcols|libsmartcols-dev|libsmartcols-devel
pc:libzstd|libzstd-dev|libzstd-devel
'

# More for the tests.
aq_test_needs='
pc:check|check|check-devel
cmd:nm|binutils|binutils
cmd:chromedriver|chromium-driver|chromedriver
cmd:protoc|protobuf-compiler|protobuf-compiler
cmd:python3|python3|python3
'

# Programs that run on the drop-in library; Debian and Ubuntu have them.
aq_hip_needs='
cmd:hipcc|hipcc|hipcc
h:/usr/include/hip/hip_version.h|libamdhip64-dev|rocm-hip-devel
cmd:rocminfo|rocminfo|rocminfo
h:/usr/include/rocrand/rocrand_version.h|librocrand-dev|rocrand-devel
h:/usr/include/rocprim/rocprim_version.hpp|librocprim-dev|rocprim-devel
'

# What `make lint` looks with; other distributions have other versions of
# clang-format, so only Debian's names are given.
aq_lint_needs='
cmd:clang-format|clang-format|clang-tools-extra
cmd:clang-tidy|clang-tidy|clang-tools-extra
cmd:cppcheck|cppcheck|cppcheck
cmd:shellcheck|shellcheck|ShellCheck
'

aq_has() { # cmd:X, pc:X or h:X
  case $1 in
  cmd:*) command -v "${1#cmd:}" > /dev/null 2>&1 ;;
  pc:*) pkg-config --exists "${1#pc:}" 2> /dev/null ;;
  h:*)
    echo "#include <${1#h:}>" | gcc -fsyntax-only -x c - > /dev/null 2>&1
    ;;
  esac
}

# The packages that are missing, by the names of column COLUMN (2 or 3).
aq_missing() { # COLUMN NEEDS
  for need in $2; do
    aq_has "$(echo "$need" | cut -d'|' -f1)" ||
      echo "$need" | cut -d'|' -f"$1"
  done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# apt-get, which waits up to ten minutes for another package manager: apt knows
# an option for the lock of installations, none for the lock of the lists.
aq_apt() { # SUDO ARGUMENTS…
  aq_sudo=$1
  shift
  aq_tries=60
  while :; do
    aq_said=$($aq_sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
      apt-get -o DPkg::Lock::Timeout=600 "$@" 2>&1) && break
    case $aq_said in
    *'Could not get lock'* | *'Unable to acquire the dpkg frontend lock'* | \
      *'Unable to lock'*) ;;
    *) aq_tries=0 ;;
    esac
    if [ "$aq_tries" -le 0 ]; then
      echo "$aq_said" >&2
      return 1
    fi
    [ $((aq_tries % 6)) != 0 ] || echo "waiting for another apt" >&2
    aq_tries=$((aq_tries - 1))
    sleep 10
  done
}

# Installs missing packages with apt as root or through sudo; elsewhere prints
# the command for it and stops.
aq_install() { # NEEDS
  missing=$(aq_missing 2 "$1")
  [ -z "$missing" ] && return 0
  if command -v apt-get > /dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then
      sudo=
    elif command -v sudo > /dev/null 2>&1 && sudo -n true 2> /dev/null; then
      sudo=sudo
    elif command -v sudo > /dev/null 2>&1 && [ -t 0 ]; then
      sudo=sudo # it asks for the password
    else
      aq_print_install "$missing" "$1"
      return 1
    fi
    echo "installing: $missing" >&2
    # shellcheck disable=SC2086 # a list of packages
    aq_apt "$sudo" update -q &&
      aq_apt "$sudo" install -q -y --no-install-recommends $missing
  else
    aq_print_install "$missing" "$1"
    return 1
  fi
}

aq_print_install() { # DEBIAN-NAMES NEEDS
  {
    echo "Some packages are missing. Install them and call this again:"
    echo "  Debian, Ubuntu: sudo apt-get update && sudo apt-get install $1"
    echo "  Fedora:         sudo dnf install $(aq_missing 3 "$2")"
  } >&2
}
