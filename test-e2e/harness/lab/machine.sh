# First program of a machine of the lab: gives the machine a file system of its own, which begins as the host's and keeps
# its changes in memory, and runs the service manager.
# machine.sh NAME FOLDER REPOSITORY NODE: FOLDER is shared with the host and is /lab in the machine.
set -eu
name=$1 folder=$2 repository=$3 node=$4
mount -t tmpfs -o size=3g tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
cd /mnt/root
mkdir -p lab
mount --bind "$folder" lab
mount -t proc proc proc
mount -t sysfs sysfs sys 2>/dev/null || true
mount --rbind /dev dev
# Nothing of the host is left in the folders that the machine's programs use.
own="run tmp root"
for each in $own; do mount -t tmpfs tmpfs "$each"; done
is_below_own() {
  for one in $own; do case $1 in "/$one"/*) return 0 ;; esac done
  return 1
}
# Folders below these, and on another file system than the host's root, are not in the overlay. Nothing of the host may be
# changed from here.
for each in "$repository" "$(dirname "$node")"; do
  is_below_own "$each" || [ "$(stat -c %d "$each")" != "$(stat -c %d /)" ] || continue
  mkdir -p "./$each"
  mount --bind "$each" "./$each"
  mount -o remount,bind,ro "./$each"
done
mkdir tmp/host
pivot_root . tmp/host
cd /
umount --lazy /tmp/host
rmdir /tmp/host
for each in /usr/bin /usr/sbin /etc /var/lib; do
  [ "$(stat --file-system -c %T "$each")" = overlayfs ] || { echo "$each is not the machine's own"; exit 1; }
done
hostname "$name"
ip link set lo up
rm -rf /etc/orch /etc/etcd /etc/haproxy /etc/keepalived /etc/default/etcd /var/lib/orch /var/lib/etcd /etc/systemd/system
mkdir -p /var/lib /etc/systemd/system /etc/default /etc/haproxy /etc/keepalived /usr/local/bin /run/haproxy /var/log/orch
exec "$node" /lab/service-manager-program.mjs
