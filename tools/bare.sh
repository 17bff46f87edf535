#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: bare.sh [--keep] [--here] COMMAND [ARGUMENT…]
# Runs a command in a new minimal Debian 12 root that holds nothing but a clone of
# this tree (the committed files), with ../shared read-only beside it. It runs as
# root, with the network, and ends with the command's status. `--keep` leaves the
# root and prints its folder; `--here` clones into a folder of this machine
# instead, for a container that is bare already (debian:12). Needs root,
# debootstrap and git. AQ_BARE_DIR: where roots are made [/var/tmp].
set -eu
keep=
here=
while :; do
  case ${1-} in
  --keep) keep=1 ;;
  --here) here=1 ;;
  -*)
    echo "bare: $1: expected --keep, --here or a command" >&2
    exit 2
    ;;
  *) break ;;
  esac
  shift
done
if [ $# = 0 ]; then
  echo "usage: bare.sh [--keep] [--here] COMMAND [ARGUMENT…]" >&2
  exit 2
fi
tree=$(cd "$(dirname "$0")/.." && pwd)
. "$tree/tools/packages.sh"
suite=bookworm

say() { echo "bare: $*" >&2; }
die() {
  say "$*"
  exit 1
}

# The clone lies in PLACE/aqueduct, as the tree does beside ../shared.
tree_clone() { # PLACE
  changed=$(git -C "$tree" status --porcelain 2> /dev/null | wc -l)
  [ "$changed" = 0 ] || say "$changed changed files are not in the clone"
  mkdir -p "$1"
  git -c safe.directory='*' clone -q --no-hardlinks "$tree" "$1/aqueduct"
}

# The Debian sources of this machine as "URI SUITE", of both formats.
sources_list() {
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/\[[^]]*\]//; s/^deb  *//p' "$file" |
      awk '{ print $1, $2 }'
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || awk '
      function flush(   u, s, i, j) {
        u = split(uris, uri, " "); s = split(suites, suite, " ")
        for (i = 1; i <= u; i++) for (j = 1; j <= s; j++) print uri[i], suite[j]
        uris = suites = "" }
      /^URIs:/ { sub(/^URIs: */, ""); uris = $0 }
      /^Suites:/ { sub(/^Suites: */, ""); suites = $0 }
      /^ *$/ { flush() }
      END { flush() }' "$file"
  done
}
source_of() { # SUITE
  sources_list | awk -v suite="$1" '$2 == suite { print $1; exit }'
}

root_make() { # ROOT
  mirror=$(source_of $suite)
  security=$(source_of $suite-security)
  updates=$(source_of $suite-updates)
  [ -n "$mirror" ] || die "no source of $suite in /etc/apt: expected a Debian 12, or --here in a container"
  command -v debootstrap > /dev/null 2>&1 || aq_apt '' update -q
  command -v debootstrap > /dev/null 2>&1 ||
    aq_apt '' install -q -y --no-install-recommends debootstrap
  say "debootstrap of $suite in $1"
  debootstrap --variant=minbase $suite "$1/root" "$mirror" > "$1/debootstrap.log" 2>&1 || {
    tail -n 20 "$1/debootstrap.log" >&2
    die "debootstrap failed"
  }
  {
    echo "deb $mirror $suite main"
    [ -z "$updates" ] || echo "deb $updates $suite-updates main"
    [ -z "$security" ] || echo "deb $security $suite-security main"
  } > "$1/root/etc/apt/sources.list"
  # As in Debian's container images: no fsync for a root that is removed.
  echo force-unsafe-io > "$1/root/etc/dpkg/dpkg.cfg.d/unsafe-io"
  printf '#!/bin/sh\nexit 101\n' > "$1/root/usr/sbin/policy-rc.d" # start no service
  chmod +x "$1/root/usr/sbin/policy-rc.d"
  cp -L /etc/resolv.conf /etc/hosts "$1/root/etc/"
}

# The environment of the command is its own: what this shell has set (a PATH, a
# language, flags of a compiler) would not be there on a stranger's machine.
run_clean() { # COMMAND…
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root TERM=dumb ${CI:+CI="$CI"} "$@"
}

if [ -n "$here" ]; then
  place=$(mktemp -d "${AQ_BARE_DIR:-/var/tmp}/aqueduct-bare.XXXXXX")
  tree_clone "$place"
  [ ! -d "$tree/../shared" ] || ln -s "$(cd "$tree/../shared" && pwd)" "$place/shared"
  cd "$place/aqueduct"
  status=0
  run_clean "$@" || status=$?
  cd /
  if [ -n "$keep" ]; then say "kept: $place"; else rm -rf "$place"; fi
  exit $status
fi

[ "$(id -u)" = 0 ] || die "a new root needs root: expected to run as root"
place=$(mktemp -d "${AQ_BARE_DIR:-/var/tmp}/aqueduct-bare.XXXXXX")
# Mounts live in a namespace that ends with its processes, so the root holds
# none when it is removed, whatever happened.
# shellcheck disable=SC2317 # the trap calls it
finish() {
  if [ -n "$keep" ]; then
    say "kept: $place/root"
  else
    rm -rf --one-file-system "$place"
  fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
root_make "$place"
tree_clone "$place/root/src"
mkdir -p "$place/root/src/shared"
[ -d "$tree/../shared" ] || rmdir "$place/root/src/shared"

# The root becomes that of its namespace (not a chroot, in which Linux makes no user
# namespaces).
cat > "$place/inside" << 'END'
set -eu
root=$1 shared=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
if [ -d "$root/src/shared" ]; then
  mount --bind "$shared" "$root/src/shared"
  mount -o remount,bind,ro "$root/src/shared"
fi
cd "$root"
pivot_root . .
umount -l .
cd /src/aqueduct
exec "$@"
END
status=0
run_clean unshare --mount --pid --fork --kill-child \
  /bin/sh "$place/inside" "$place/root" "$tree/../shared" "$@" || status=$?
exit $status
