#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps on a cluster: a Slurm of one node, as Debian has it (slurm-wlm, munge),
# is started here and used for real.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP Slurm kills tasks that are as slow as sanitized ones"
  exit 0 ;;
esac
for tool in slurmctld slurmd munged sbatch squeue scancel scontrol; do
  PATH=$PATH:/usr/sbin command -v $tool > "$work/tool" || {
    skip "a sweep through Slurm" "no $tool (apt-get install slurm-wlm munge)"
    finish
    exit
  }
done
[ "$(id -u)" = 0 ] || {
  skip "a sweep through Slurm" "its daemons need root"
  finish
  exit
}
PATH=$PATH:/usr/sbin
host=$(hostname -s)
port=$((20000 + $$ % 20000 * 2))
run=$work/slurm
mkdir -p "$run/ctld" "$run/slurmd" "$run/munge"
chmod 755 "$work" "$run"
chmod 700 "$run/munge"

cat > "$run/slurm.conf" << CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$run/munge/socket
CryptoType=crypto/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$run/ctld
SlurmdSpoolDir=$run/slurmd
SlurmctldPidFile=$run/slurmctld.pid
SlurmdPidFile=$run/slurmd.pid
SlurmctldLogFile=$run/slurmctld.log
SlurmdLogFile=$run/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
ReturnToService=2
MinJobAge=3600
KillWait=60
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
SLURM_CONF=$run/slurm.conf
export SLURM_CONF

stop() {
  scontrol shutdown > "$run/stop.txt" 2>&1
  sleep 1
  for daemon in munge/munged slurmctld slurmd; do
    [ ! -f "$run/$daemon.pid" ] || kill "$(cat "$run/$daemon.pid")" 2> "$run/x"
  done
  rm -rf "$work"
}
trap stop EXIT

dd if=/dev/urandom of="$run/munge/key" bs=1 count=1024 2> "$run/x"
chmod 600 "$run/munge/key"
munged --force --key-file="$run/munge/key" --socket="$run/munge/socket" \
  --pid-file="$run/munge/munged.pid" --log-file="$run/munged.log" \
  --seed-file="$run/munge/seed" > "$run/munged.txt" 2>&1
slurmctld > "$run/ctld.txt" 2>&1
slurmd -N "$host" > "$run/slurmd.txt" 2>&1

# A condition that has to come true, with a minute or two for it.
within() { # SECONDS COMMAND…
  left=$1
  shift
  while ! "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 1
  done
}
idle() { sinfo -h -o %T 2> "$run/x" | grep -q idle; }
empty() { [ -z "$(squeue -h 2> "$run/x")" ]; }

if ! within 60 idle; then
  skip "a sweep through Slurm" "its node does not come up here"
  finish
  exit
fi

# 120 points; the same on this machine alone.
mkdir "$work/beside"
sed 's/"requests": [0-9][0-9]*/"requests": 4000/' \
  "$srcdir/tests/cli/clients.json" > "$work/beside/clients.json"
sed 's/"count": 3/"count": 12/' "$srcdir/tests/cli/plan.json" \
  > "$work/beside/plan.json"
plan=$work/beside/plan.json
"$aqueduct" sweep "$plan" --store "$work/one.db" -q > "$work/ids" || exit 1
study() { "$aqueduct" study --plan small --wide --baseline fifo --store "$1"; }
study "$work/one.db" > "$work/one.txt"

try "$aqueduct" sweep "$plan" --slurm=--nice=0 --shards 4 -o "$work/whole"
check "an array and its merge are submitted" \
  [ "$status.$(echo "$out" | wc -l)" = 0.2 ]
check "they end" within 300 empty
check "the merge found all points" grep -q "120 of 120 points done" \
  "$work/whole/progress/merge.txt"
study "$work/whole/study.db" > "$work/whole.txt"
check "the study is that of one machine, byte by byte" \
  cmp "$work/one.txt" "$work/whole.txt"
try "$aqueduct" sweep --status "$work/whole"
check "and the status is complete" [ "$status" = 0 ]

# Killed half-way: the tasks that run have done points, and are at work on one
# that holds until it is killed; the others wait for a core.
program=$(realpath "$aqueduct")
cat > "$work/patient" << SH
#!/bin/sh
[ "\$1" = sweep ] || exec "$program" "\$@"
shift
exec "$program" sweep --policy-timeout none "\$@"
SH
chmod +x "$work/patient"
${AQ_CC:-cc} -Wall -Wextra -Werror -O1 -fPIC -shared \
  -I"${AQ_BUILDDIR:-.}/public" -o "$work/beside/hold.so" \
  "$srcdir/tests/study/sweep/hold_policy.c" || exit 1
sed 's|"fifo",|"fifo", "./hold.so",|; s/"count": 3/"count": 12/' \
  "$srcdir/tests/cli/plan.json" > "$work/beside/held.json"
"$aqueduct" sweep "$work/beside/held.json" --emit slurm --shards 4 \
  -o "$work/half" -q
mkdir "$work/held"
holding() { [ "$(find "$work/held" -type f | wc -l)" -ge 1 ]; }
array=$(cd "$work/half" &&
  AQ_HOLD=$work/held AQUEDUCT=$work/patient sbatch --parsable array.sbatch)
check "a task is at work" within 300 holding
scancel --state=PENDING "$array" 2> "$run/x"
scancel --signal=TERM --full "$array"
check "all end" within 300 empty
try "$aqueduct" sweep --status "$work/half"
check "a killed array leaves points missing" [ "$status" = 1 ]
check "and the command that makes them" contains "$err" "sbatch --array="
check "no point is left half" contains "$err" " 0 failed,"
done=$(echo "$err" | sed -n 's/.*: \([0-9]*\) of 144 points done.*/\1/p')
check "some points are done" [ "$done" -gt 0 ]
check "all of them that the tasks reported" \
  [ "$(cat "$work"/half/progress/*.log | grep -c '^done')" = "$done" ]
try "$work/half/merge.sh"
check "a merge without the others fails" [ "$status" = 1 ]
try "$aqueduct" study --plan small --store "$work/half/study.db"
check "and a study of it" [ "$status" = 1 ]
check "which counts the same" contains "$err" "$done of 144 points"
again=$("$aqueduct" sweep --status "$work/half" 2>&1 |
  sed -n 's/.*sbatch \(--array=[0-9,]*\) .*/\1/p')
(cd "$work/half" && sbatch "$again" array.sbatch) > "$run/again.txt"
check "they run" within 300 empty
try "$work/half/merge.sh"
check "then the merge succeeds" [ "$status" = 0 ]
study "$work/half/study.db" > "$work/half.txt"
(cd "$work/half" && "$program" sweep inputs/held.json \
  --store "$work/two.db" -q) > "$work/ids"
study "$work/two.db" > "$work/two.txt"
check "and the study is that of one machine, byte by byte" \
  cmp "$work/two.txt" "$work/half.txt"
finish
