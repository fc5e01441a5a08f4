# slurm_here.sh - a Slurm of one node on this machine, for the test that begins with it
# SPDX-License-Identifier: BSD-2-Clause
#
# Controller, node and authentication run as this user, on loopback, with all files in $tmp/slurm.
# slurm_start returns when the node takes jobs; slurm_stop ends what it has started.

slurm_pids()
{
	for file in "$tmp"/slurm/*.pid; do
		test ! -s "$file" || cat "$file"
	done
}

slurm_stop()
{
	for pid in $(slurm_pids); do
		kill "$pid" 2>/dev/null
	done
	for pid in $(slurm_pids); do
		until_true sh -c "! kill -0 $pid"
	done
}

slurm_taken()
{
	grep -qi ":$(printf %04x "$1") " /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

slurm_start()
{
	s=$tmp/slurm
	name=$(hostname)
	port=$((20000 + $$ % 6000 * 2)) # below those that the system gives to others
	while slurm_taken $port || slurm_taken $((port + 1)); do
		port=$((port + 2))
	done
	mkdir -p "$s/state" "$s/spool" "$s/log"
	chmod 755 "$tmp" "$s"
	(umask 077 && head -c 1024 /dev/urandom >"$s/key")
	munged --force --key-file="$s/key" --socket="$s/munge.socket" --pid-file="$s/munged.pid" \
		--log-file="$s/log/munged" --seed-file="$s/seed" 2>"$s/log/munged.err" || return 1
	cat >"$s/slurm.conf" <<-END
	ClusterName=here
	SlurmctldHost=$name(127.0.0.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	SlurmUser=$(id -un)
	SlurmdUser=$(id -un)
	AuthType=auth/munge
	AuthInfo=socket=$s/munge.socket,cred_expire=5
	CredType=cred/munge
	StateSaveLocation=$s/state
	SlurmdSpoolDir=$s/spool
	SlurmctldPidFile=$s/slurmctld.pid
	SlurmdPidFile=$s/slurmd.pid
	SlurmctldLogFile=$s/log/slurmctld
	SlurmdLogFile=$s/log/slurmd
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	ReturnToService=2
	KillWait=5
	JobRequeue=1
	SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
	NodeName=$name NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
	PartitionName=here Nodes=$name Default=YES MaxTime=INFINITE State=UP
	END
	SLURM_CONF=$s/slurm.conf
	export SLURM_CONF
	slurmctld -c -f "$SLURM_CONF" 2>"$s/log/slurmctld.err" && slurmd -f "$SLURM_CONF" 2>"$s/log/slurmd.err" ||
		return 1
	until_true sh -c 'sinfo -h -o %t | grep -q idle'
}
