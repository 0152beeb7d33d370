#!/usr/bin/env bash
# Runs the job arrays of docs/reference/sweep.md and docs/reference/choosing-sets.md under a Slurm of one
# node on this machine, and holds what they make against one process's, byte for byte.
#
#     tests/bench/slurm-local.sh [TVLB]
#
# Needs root and Debian's slurmctld, slurmd, slurm-client and munge; starts daemons of its own with
# their files in a scratch directory, and stops these alone. TVLB is target/release/tvlb unless given.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
tvlb=$(realpath "${1:-$here/target/release/tvlb}")
for tool in munged slurmctld slurmd sbatch; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "slurmd must be started by root" >&2; exit 2; }

home=$(mktemp -d)
chmod 755 "$home"
export SLURM_CONF=$home/slurm.conf
pids=()
stop() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$home"
}
trap stop EXIT

# A key and a socket of our own, so that a munge that runs here already is left alone.
mkdir -m 700 "$home/munge"
head -c 128 /dev/urandom >"$home/munge/key"
chmod 600 "$home/munge/key"
mkdir -m 755 "$home/socket"
munged --foreground --force --key-file="$home/munge/key" --socket="$home/socket/munge" \
    --pid-file="$home/munge/pid" --seed-file="$home/munge/seed" --log-file="$home/munge/log" >/dev/null 2>&1 &
pids+=($!)

name=$(hostname -s)
cpus=$(nproc)
cat >"$SLURM_CONF" <<CONF
ClusterName=local
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$home/socket/munge
CredType=cred/munge
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$name NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
CONF
mkdir "$home/state" "$home/spool"
slurmctld -D >/dev/null 2>&1 &
pids+=($!)
slurmd -D -N "$name" >/dev/null 2>&1 &
pids+=($!)
for ((waited = 0; ; waited++)); do
    sinfo --noheader --format=%T 2>/dev/null | grep -q idle && break
    [ "$waited" -lt 60 ] || { tail "$home"/*.log >&2; echo "the node does not come up" >&2; exit 1; }
    sleep 1
done
sinfo --version
sinfo

# A study of 24 runs, and the job script of docs/reference/sweep.md, taken from there, with fewer and
# smaller tasks.
mkdir "$home/study"
cd "$home/study"
cp "$here/tables/dfly-2-4-2-9.toml" .
cat >study.toml <<STUDY
fabrics = ["dfly-2-4-2-9.toml"]
schemes = ["ugal-l", "par"]
sets = ["conventional", "strategic-2-3", "4-hop then shapes:011"]
traffic = ["shift(2,0)", "permutation"]
loads = [0.1, 0.2]
seeds = [1]
[settings]
window = 40000
STUDY
sed -n '/^#!\/bin\/bash$/,/^```$/p' "$here/docs/reference/sweep.md" | sed '$d' >job.sh
sed -i -e 's/--array=1-64/--array=1-6/' -e 's/--cpus-per-task=4/--cpus-per-task=1/' job.sh
grep -q 'array=1-6$' job.sh && grep -q 'cpus-per-task=1$' job.sh
PATH=$(dirname "$tvlb"):$PATH
export PATH

# One task is killed on the way, as a cluster may, and the array is submitted again.
array=$(sbatch --parsable job.sh)
until [ -n "$(find . -path './runs/*.run')" ]; do sleep 0.2; done
running=$(squeue --noheader --array --states=RUNNING --format=%i | tail -n 1)
scancel --signal=KILL --full "$running"
while [ -n "$(squeue --noheader)" ]; do sleep 1; done
echo "array $array, task $running killed: $(find runs -name '*.run' | wc -l) of 24 runs"
rm -f slurm-*.out
sbatch --wait job.sh
tail -qn 1 slurm-*.out | sort | uniq -c
tvlb-lab sweep study.toml -o runs --collect
tvlb-lab sweep study.toml -o alone --quiet --threads 1
tvlb-lab sweep study.toml -o alone --collect
cmp runs/runs.csv alone/runs.csv
echo "Slurm's runs.csv and one process's are the same, byte for byte"

# A choice of sets, by the job script of docs/reference/choosing-sets.md, with fewer and smaller tasks.
mkdir "$home/choice"
cd "$home/choice"
cp "$here/tables/dfly-2-4-2-9.toml" fabric.toml
sed -n '/^#!\/bin\/bash$/,/^```$/p' "$here/docs/reference/choosing-sets.md" | sed '$d' >job.sh
sed -i -e 's/--array=1-16/--array=1-4/' -e 's/--cpus-per-task=4/--cpus-per-task=1/' \
    -e 's/--share --quiet/--share --panel quick/' job.sh
grep -q 'array=1-4$' job.sh && grep -q 'panel quick' job.sh
array=$(sbatch --parsable job.sh)
runs() { find kept/simulate.runs -name '*.run' 2>/dev/null | wc -l; }
until [ "$(runs)" -ge 50 ]; do sleep 0.2; done
running=$(squeue --noheader --array --states=RUNNING --format=%i | tail -n 1)
scancel --signal=KILL --full "$running"
echo "array $array, task $running killed after $(runs) runs"
while [ -n "$(squeue --noheader)" ]; do sleep 1; done
grep -h 'runs:\|^written\|^tables:' slurm-*.out | sed 's/ in [0-9.]* s$//' | sort
tvlb generate fabric.toml -o alone --panel quick --quiet
diff -r tables alone
echo "Slurm's tables and one process's are the same, byte for byte"
