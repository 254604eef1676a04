#!/usr/bin/env bash
# A sweep on a real SLURM of one machine: an array of four shards and its merge; the node dies in the middle, and submitting again completes it.
# Not part of the usual tests: it installs slurm-wlm and runs daemons as root.
#   tests/cluster.sh target/debug/stokeslet
set -euo pipefail
program=$(realpath "${1:?name the program: tests/cluster.sh target/debug/stokeslet}")
designs=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../designs")

# A daemon is a child of the shell that started it, or of its sudo: all of them.
end() {
  local child
  for child in $(pgrep -P "$1" || true); do end "$child"; done
  as_root kill -9 "$1" 2>/dev/null || true
}
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null; then
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq slurm-wlm munge >/dev/null
fi

work=$(mktemp -d)
export SLURM_CONF=$work/slurm.conf
host=$(hostname -s)
daemons=()
cleanup() {
  for pid in "${daemons[@]}"; do end "$pid"; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

mkdir -p "$work"/{state,spool,log,run}
chmod 755 "$work"
[ -s /etc/munge/munge.key ] || as_root sh -c 'head -c 1024 /dev/urandom > /etc/munge/munge.key && chown munge /etc/munge/munge.key && chmod 400 /etc/munge/munge.key'
if ! munge -n >/dev/null 2>&1; then
  as_root mkdir -p /run/munge && as_root chown munge /run/munge
  as_root su -s /bin/sh munge -c /usr/sbin/munged
fi
cat > "$SLURM_CONF" <<EOF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld.log
SlurmdLogFile=$work/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
EOF

start_node() {
  as_root env SLURM_CONF="$SLURM_CONF" slurmd -D >/dev/null 2>&1 &
  node=$!
  daemons+=("$node")
}
wait_for() { # seconds, words, command
  local end=$((SECONDS + $1)); local what=$2; shift 2
  until "$@"; do
    if [ $SECONDS -ge $end ]; then echo "FAIL: $what" >&2; tail -n 20 "$work"/log/* "$work"/*.log >&2 || true; exit 1; fi
    sleep 0.5
  done
}
as_root env SLURM_CONF="$SLURM_CONF" slurmctld -D -c >/dev/null 2>&1 &
daemons+=("$!")
start_node
wait_for 60 "the node never came up" sh -c 'sinfo -h -o %T | grep -q idle'

cp "$designs/tee.toml" "$work/tee.toml"
sed -i 's/^\[fluid\]/[variables]\nl = "4 mm"\nq = "6 uL\/min"\n[fluid]/; s/length = "4 mm"/length = "=l"/; s/flow_rate = "6 uL\/min"/flow_rate = "=q"/' "$work/tee.toml"
cat > "$work/study.toml" <<'EOF'
format = 1
design = "tee.toml"
ports_only = true
[ranges]
l = { from = "3 mm", to = "5 mm", count = 150 }
q = { from = "1 uL/min", to = "9 uL/min", count = 8 }
EOF
cd "$work"
"$program" sweep study.toml --out alone --threads 2
"$program" sweep script study.toml --slurm --shards 4 --out "$work/spread" > job.sh

sbatch job.sh
wait_for 60 "no shard ever wrote" sh -c 'cat spread/shard-*/points.jsonl 2>/dev/null | grep -q index'
# The node dies: its daemon and all that it runs, which are the processes that name this folder.
end "$node"
for task in $(pgrep -f "$work/" || true); do as_root kill -9 "$task" 2>/dev/null || true; done
before=$(cat spread/shard-*/points.jsonl | grep -c '"index"')
echo "the node died with $before of 1200 points done"
scancel --user="$(id -un)" || true
start_node
wait_for 90 "the node never came back" sh -c 'sinfo -h -o %T | grep -q idle'

sbatch job.sh
wait_for 180 "the merge never came" sh -c 'test -s spread/results.csv && [ "$(wc -l < spread/results.csv)" = 1201 ]'
# All but the seconds, which are the third column from the end.
strip() { awk -F, -v OFS=, '{ $(NF - 2) = ""; print }' "$1"; }
cmp <(strip alone/results.csv) <(strip spread/results.csv)
echo "ok: the array of 4 with a lost node gives the table of one run (1200 points, $before before the loss)"
