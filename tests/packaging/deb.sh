#!/bin/sh
# SPDX-License-Identifier: MIT
# The packages that `make deb` made: lintian has nothing to say, they install in
# a Debian 12 where nothing else is, and the commands work there.
# deb.sh FOLDER. It needs root for the chroot, and apt's mirror.
set -u
packages=$1
n=0 failed=0
result() { # STATUS TEXT; after a failure with the end of the log
  n=$((n + 1))
  if [ "$1" = 0 ]; then
    echo "ok $n - $2"
  else
    echo "not ok $n - $2"
    failed=$((failed + 1))
    [ ! -e "$work/log" ] || tail -20 "$work/log" | sed 's/^/# /'
  fi
}
skip() {
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}
finish() {
  echo "1..$n"
  [ "$failed" = 0 ]
  exit
}

work=$(mktemp -d)
root=$work/root
# shellcheck disable=SC2317 # the trap calls it
leave() {
  umount "$root/proc" 2> /dev/null
  rm -rf "$work"
}
trap leave EXIT

if command -v lintian > /dev/null; then
  lintian --allow-root --fail-on error,warning --tag-display-limit 0 \
    "$packages"/*.changes > "$work/lintian" 2>&1
  result $? "lintian has no error and no warning"
  sed 's/^/# /' "$work/lintian"
else
  skip "lintian" "lintian is not installed"
fi

mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 2> /dev/null |
  awk '$2 == "bookworm" { print $1; exit }')
if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null ||
   [ -z "$mirror" ]; then
  skip "a bare chroot" "it needs root, debootstrap and a mirror of bookworm"
  finish
fi
debootstrap --variant=minbase bookworm "$root" "$mirror" > "$work/log" 2>&1
result $? "a bare Debian 12 is made"
mount -t proc proc "$root/proc" 2> /dev/null
cp "$packages"/*.deb "$root/tmp/"
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2> /dev/null
in_root() {
  DEBIAN_FRONTEND=noninteractive chroot "$root" /bin/sh -c "$1"
}

begun=$(date +%s)
in_root 'apt-get install -y --no-install-recommends /tmp/aqueduct_*.deb \
  /tmp/aqueduct-dropin_*.deb' > "$work/log" 2>&1
result $? "the command and the drop-in install"
echo "# in $(($(date +%s) - begun)) s"
in_root 'aqueduct doctor' > "$work/log" 2>&1
result $? "doctor finds nothing broken"
in_root 'cd /tmp && aqueduct run /usr/share/aqueduct/scenarios/chain-512.json \
  --device mi300x && aqueduct stats 1 --json' > "$work/log" 2>&1 &&
  grep -q '"' "$work/log"
result $? "a scenario runs and its run has statistics"
in_root 'apt-get install -y --no-install-recommends rocminfo > /dev/null 2>&1
  aqueduct exec --device mi300x -- rocminfo' > "$work/log" 2>&1 &&
  grep -q gfx942 "$work/log"
result $? "exec runs rocminfo, which finds the simulated GPU"
in_root 'for page in /usr/share/man/man1/aqueduct*.1.gz; do \
  gzip -t $page || exit 1; done'
result $? "man pages are there"

in_root 'apt-get install -y --no-install-recommends gcc libc6-dev make pkg-config \
  /tmp/libaqueduct0_*.deb /tmp/libaqueduct-dev_*.deb' > "$work/log" 2>&1
result $? "the library and its headers install"
cp "$(dirname "$0")/../../doc/examples/command_buffer.c" "$root/tmp/"
in_root 'cd /tmp && gcc -std=gnu11 -o example command_buffer.c \
  $(pkg-config --cflags --libs aqueduct) && ./example' > "$work/log" 2>&1
result $? "an example builds with them and runs"
in_root 'apt-get install -y --no-install-recommends \
  /tmp/python3-aqueduct_*.deb' > "$work/log" 2>&1 &&
  in_root 'python3 -c "import aqueduct
print(aqueduct.Store().kernels(1))"' > "$work/log" 2>&1 &&
  grep -q calls "$work/log"
result $? "the Python module reads the run"
# What newcomers do, from the tutorials, with the packages alone. Too many
# seconds count where nothing else is running.
limit() { # SECONDS MOST TEXT
  if [ "$1" -gt "$2" ] && [ "$(cut -d. -f1 /proc/loadavg)" -gt "$(nproc)" ]; then
    skip "$3: $1 s of $2" "the machine is busy"
  else
    [ "$1" -le "$2" ]
    result $? "$3: $1 s of at most $2"
  fi
}
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/tmp/tree"
cp -R "$source/doc" "$source/tools" "$source/traces" "$root/tmp/tree/"
for task in 'time 60 a trace is answered by two commands' \
    'policy 600 a policy of one'"'"'s own is compared with intervals' \
    'transport 600 a transport of one'"'"'s own runs' \
    'embed 600 a program embeds the library'; do
  page=${task%% *} rest=${task#* }
  begun=$(date +%s)
  in_root "cd /tmp/tree && python3 tools/doc-commands.py installed \
    doc/tutorials/$page.md" > "$work/log" 2>&1 &&
    ! grep -q SKIP "$work/log"
  result $? "the tutorial $page does what it says"
  limit $(($(date +%s) - begun)) "${rest%% *}" "${rest#* }"
done

# The CI job of doc/tutorials/ci.md: all packages, a compiler, a checked run.
in_root 'dpkg -P aqueduct aqueduct-dropin > /dev/null'
cp "$source/doc/examples/ci/vadd.hip" "$root/tmp/"
begun=$(date +%s)
in_root 'set -e
cd /tmp
apt-get install -y --no-install-recommends hipcc libamdhip64-dev \
  ./aqueduct_*.deb ./aqueduct-dropin_*.deb
hipcc --offload-arch=gfx90a -g -O2 -o vadd vadd.hip
aqueduct exec --device mi210 --check --junit result.xml -- ./vadd' \
  > "$work/log" 2>&1 && grep -q 'failures="0"' "$root/tmp/result.xml"
result $? "the CI job installs, compiles, checks and writes JUnit"
limit $(($(date +%s) - begun)) 180 "the CI job"
in_root 'cd /tmp/tree && python3 tools/doc-commands.py installed \
  doc/tutorials/ci.md' > "$work/log" 2>&1 && ! grep -q SKIP "$work/log"
result $? "the tutorial ci does what it says"

# Suites: the steps of the action and of GitLab's template, then CTest and pytest.
mkdir -p "$root/tmp/suite/packages"
cp "$source"/doc/examples/ci/suites/* "$root/tmp/suite/"
cp "$packages"/*.deb "$root/tmp/suite/packages/"
in_root 'dpkg -P aqueduct aqueduct-dropin > /dev/null'
awk '/^      run: \|$/ { inside = 1; next } !/^        / { inside = 0 }
  inside { print substr($0, 9) }' "$source/action.yml" > "$root/tmp/suite/action"
in_root 'cd /tmp/suite && export PACKAGES=packages WITH="hipcc libamdhip64-dev cmake make" &&
  sh -e action' > "$work/log" 2>&1
result $? "the step of the action installs the packages"
in_root 'dpkg -P aqueduct aqueduct-dropin > /dev/null'
suite_lines() { # COMMENT: commands of GitLab's template behind it
  awk -v name="$1" '/^ *# / { inside = $0 ~ "# " name "$"; next }
    !/^    - / { inside = 0 } inside { print substr($0, 7) }' \
    "$source/doc/examples/ci/gitlab-suite.yml"
}
suite_lines install > "$root/tmp/suite/install"
suite_lines test > "$root/tmp/suite/test"
in_root 'cd /tmp/suite && export AQUEDUCT_PACKAGES=packages AQUEDUCT_WITH=make &&
  sh -e install && sh -e test' > "$work/log" 2>&1 &&
  grep -q "vadd.rx6900xt .*Passed" "$work/log" &&
  [ "$(grep -c "<testcase" "$root/tmp/suite/build/aqueduct/junit.xml")" = 2 ]
result $? "GitLab's template installs, builds and runs CTest"
in_root 'apt-get install -y --no-install-recommends python3-pytest > /dev/null 2>&1
  cd /tmp/suite && pytest -q --aqueduct-device mi210 test_vadd.py' \
  > "$work/log" 2>&1 && grep -q "5 passed" "$work/log"
result $? "pytest finds its plug-in and runs on a device"

in_root 'dpkg -P aqueduct aqueduct-dropin libaqueduct-dev libaqueduct0 \
  python3-aqueduct &&
  ! find / -xdev -name "*aqueduct*" ! -path "/tmp/*" ! -path "/proc/*" \
    ! -path "/root/*" |
  grep .' > "$work/log" 2>&1
result $? "purging leaves nothing behind"
finish
