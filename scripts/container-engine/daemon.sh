#!/bin/sh
# daemon.sh FOLDER STORAGE-DRIVER BRIDGE-ADDRESS POOL: runs containerd and dockerd until SIGTERM. To be started in a
# private mount namespace.
folder=$1 driver=$2 bridge=$3 pool=$4
mkdir -p "$folder/run"
# On a machine with both versions of control groups the engine uses the first one.
if [ -d /sys/fs/cgroup/memory ]; then umount /sys/fs/cgroup/unified 2>/dev/null; fi
cat > "$folder/containerd.toml" <<END
version = 2
root = "$folder/containerd"
state = "$folder/run/containerd"
oom_score = 0
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "$folder/containerd.sock"
END
containerd --config "$folder/containerd.toml" > "$folder/containerd.log" 2>&1 &
containerd=$!
dockerd --containerd="$folder/containerd.sock" --data-root="$folder/docker" --exec-root="$folder/run/docker" \
  --host="unix://$folder/docker.sock" --pidfile="$folder/docker.pid" --storage-driver="$driver" --bip="$bridge" \
  --default-address-pool="base=$pool,size=24" > "$folder/dockerd.log" 2>&1 &
dockerd=$!
trap 'kill $dockerd 2>/dev/null' TERM INT
wait $dockerd
wait $dockerd
kill $containerd
wait $containerd
