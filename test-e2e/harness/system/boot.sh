#!/bin/sh
# boot.sh LOWER STATE NAME: boots a copy of the system in LOWER, with its changes in STATE, as processes of this machine.
# Runs as the first process of new namespaces for mounts, processes, network, host name and IPC, and becomes systemd. The
# kernel's settings, devices and clock are out of its reach.
set -eu
lower=$1 state=$2 name=$3
root=$state/root
mount --make-rprivate /
if [ "${4:-}" != "in its control group" ]; then
  # One hierarchy of control groups, whatever the machine has mounted.
  umount -R /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 none /sys/fs/cgroup
  mkdir -p "/sys/fs/cgroup/$name"
  echo 0 > "/sys/fs/cgroup/$name/cgroup.procs"
  exec unshare --cgroup sh "$0" "$1" "$2" "$3" "in its control group"
fi
mkdir -p "$root" "$state/upper" "$state/work"
mount -t overlay -o "lowerdir=$lower,upperdir=$state/upper,workdir=$state/work" overlay "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
for path in sys sysrq-trigger; do
  [ -e "$root/proc/$path" ] || continue
  mount --bind "$root/proc/$path" "$root/proc/$path"
  mount -o remount,bind,ro "$root/proc/$path"
done
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount -t tmpfs -o nosuid,mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o nosuid,nodev tmpfs "$root/dev/shm"
mount -t tmpfs -o nosuid,nodev,mode=755 tmpfs "$root/run"
hostname orch-machine
cd "$root"
mkdir -p .old
pivot_root . .old
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  setpriv --bounding-set -sys_module,-sys_time,-sys_rawio,-syslog,-mac_admin,-mac_override,-wake_alarm,-block_suspend \
  sh -c 'umount -l /.old && exec /sbin/init'
