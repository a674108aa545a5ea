#!/bin/bash
# Boots systemd as process 1 of a machine of its own: its root file system is SYSTEM, with all changes in memory, and the
# network is that of the namespace in which this script runs. Prints nothing; it ends when the machine is powered off.
#
#   boot-machine.sh NAME FOLDER SHARED SYSTEM
#
# SHARED is /shared in the machine.
set -euo pipefail
name=$1
folder=$2
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
group="$unified/portcullis-$name"
mkdir -p "$group"
trap 'find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true' EXIT
# The process enters its control group first, so that the new cgroup namespace has it as its root.
bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec unshare --cgroup --mount --uts --ipc --pid --fork --kill-child --propagation private bash -euc "$@"' \
	boot "$group" '
	name=$1 folder=$2 shared=$3 system=$4
	mount -t tmpfs -o mode=755 none "$folder"
	mkdir "$folder"/{upper,work,root}
	mount -t overlay none -o "lowerdir=$system,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
	cd "$folder/root"
	mount -t proc proc proc
	mount -t sysfs -o ro sys sys
	mount -t cgroup2 cgroup2 sys/fs/cgroup
	# Switches of the kernel that do not belong to a namespace stay out of reach.
	mount --bind proc/sys proc/sys
	mount -o remount,bind,ro proc/sys
	mount --bind /proc/sys/net proc/sys/net
	if [ -e proc/sysrq-trigger ]; then
		mount --bind proc/sysrq-trigger proc/sysrq-trigger
		mount -o remount,bind,ro proc/sysrq-trigger
	fi
	mount -t tmpfs -o mode=755 none dev
	mkdir dev/pts dev/shm dev/net
	for device in null zero full random urandom tty net/tun; do
		[ -e "/dev/$device" ] || continue
		touch "dev/$device"
		mount --bind "/dev/$device" "dev/$device"
	done
	mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
	ln -s pts/ptmx dev/ptmx
	mount -t tmpfs none dev/shm
	ln -s /proc/self/fd dev/fd
	mount -t tmpfs -o mode=755 none run
	# Only what the test installs starts.
	rm -rf etc/systemd/system/*.wants usr/sbin/policy-rc.d
	mkdir shared
	mount --bind "$shared" shared
	hostname "$name"
	mkdir -p .old
	pivot_root . .old
	umount -l /.old
	rmdir /.old
	exec setpriv --bounding-set -sys_time,-sys_module,-sys_rawio,-mac_admin env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		container=oci TERM=dumb /lib/systemd/systemd --log-target=journal systemd.unit=multi-user.target >/dev/null 2>&1 </dev/null
	' machine "$name" "$folder" "$3" "$4"
