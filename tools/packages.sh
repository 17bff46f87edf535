# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the lists are used by the callers
# Sourced by the set-up commands: the packages that the build needs, by
# distribution.

# need TEST … as "test|debian package|fedora package". cmd: a program on PATH, pc: a
# pkg-config module, h: a header, py: a module of Python, f: a file.
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

# More that building the tests takes.
aq_unit_needs='
pc:check|check|check-devel
cmd:g++|g++|gcc-c++
'

# The packages that the tests run with, and compare with or drive (LLVM's tools,
# csmith, valgrind, Slurm, a browser, mkdocs).
aq_test_needs='
cmd:nm|binutils|binutils
cmd:git|git|git
cmd:jq|jq|jq
cmd:patch|patch|patch
cmd:chromedriver|chromium-driver|chromedriver
cmd:protoc|protobuf-compiler|protobuf-compiler
cmd:python3|python3|python3
py:jsonschema|python3-jsonschema|python3-jsonschema
py:pandas|python3-pandas|python3-pandas
cmd:mkdocs|mkdocs|mkdocs
cmd:groff|groff|groff
cmd:cmake|cmake|cmake
cmd:meson|meson|meson
cmd:pytest|python3-pytest|python3-pytest
cmd:sqlite3|sqlite3|sqlite
cmd:xmllint|libxml2-utils|libxml2
f:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|fonts-dejavu-core|dejavu-sans-fonts
cmd:valgrind|valgrind|valgrind
cmd:csmith|csmith|csmith
cmd:slurmctld|slurm-wlm|slurm-slurmctld
cmd:munged|munge|munge
cmd:clang-22|clang-22|clang
f:/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.asan-x86_64.a|libclang-rt-22-dev|compiler-rt
cmd:ld.lld-22|lld-22|lld
cmd:clang-offload-bundler-22|clang-tools-22|clang-tools-extra
cmd:llvm-objdump-22|llvm-22|llvm
cmd:mlir-opt-22|mlir-22-tools|mlir
h:/usr/include/hsa/hsa.h|libhsa-runtime-dev|rocm-runtime-devel
f:/usr/lib/gcc/x86_64-linux-gnu/12/accel/amdgcn-amdhsa/mkoffload|gcc-12-offload-amdgcn|gcc-offload-amdgcn
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

aq_has() { # TEST
  case $1 in
  # Debian has daemons where a user's PATH does not look.
  cmd:*) PATH=$PATH:/usr/sbin:/sbin command -v "${1#cmd:}" > /dev/null 2>&1 ;;
  py:*) python3 -c "import ${1#py:}" > /dev/null 2>&1 ;;
  f:*) [ -e "${1#f:}" ] ;;
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
