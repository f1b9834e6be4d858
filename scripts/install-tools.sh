#!/usr/bin/env bash
# install-tools.sh etcd|haproxy|kubectl ...: makes each program available as .tools/bin/<program>.
# A program on PATH is linked; otherwise its Debian package and the libraries it lacks are unpacked under .tools/root,
# which needs no root and cannot clash with installed packages. kubectl is always Debian's: the tests are written for that one.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/.tools/root
bin=$PWD/.tools/bin

package_of() { case $1 in etcd) echo etcd-server ;; haproxy) echo haproxy ;; kubectl) echo kubernetes-client ;; esac; }
fail() { echo "$*" >&2; exit 1; }

# apt-get download writes to the current folder; lists that are empty or outdated are refreshed once, which needs root.
download() {
  local package=$1 cache=$PWD/.tools/cache
  mkdir -p "$cache" "$root"
  command -v apt-get >/dev/null || return 1
  if ! (cd "$cache" && apt-get -q download "$package" >apt.log 2>&1); then
    echo "Refreshing the list of Debian packages" >&2
    if [ "$(id -u)" = 0 ]; then apt-get -q update >"$cache/apt.log" 2>&1 || return 1
    else sudo -n apt-get -q update >"$cache/apt.log" 2>&1 || return 1; fi
    (cd "$cache" && apt-get -q download "$package" >apt.log 2>&1) || return 1
  fi
  for archive in "$cache/${package}"_*.deb; do dpkg -x "$archive" "$root"; done
  rm -f "$cache/${package}"_*.deb
}

# The folder of shared libraries on this architecture, for example usr/lib/x86_64-linux-gnu.
libraries() { find "$root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd: -; }
missing_libraries() { LD_LIBRARY_PATH=$(libraries) ldd "$1" 2>/dev/null | awk '/not found/ { print $1 }'; }

# Unpacks the packages that the program's own package depends on, until it finds all its libraries.
unpack_libraries() {
  local package=$1 program=$2
  [ -n "$(missing_libraries "$program")" ] || return 0
  for dependency in $(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances --no-pre-depends "$package" | awk '/^[a-z]/ { print $1 }' | grep -E '^lib' | grep -vx libc6); do
    dpkg -s "$dependency" >/dev/null 2>&1 || download "$dependency" || true
    [ -n "$(missing_libraries "$program")" ] || return 0
  done
  fail "$program lacks $(missing_libraries "$program" | paste -sd' ' -). Install the package $package and try again."
}

for tool in "$@"; do
  [ -x "$bin/$tool" ] && continue
  mkdir -p "$bin"
  package=$(package_of "$tool")
  [ -n "$package" ] || fail "unknown tool: $tool"
  if [ "$tool" != kubectl ] && found=$(PATH=$PATH:/usr/sbin:/sbin command -v "$tool"); then
    ln -sf "$found" "$bin/$tool"
    continue
  fi
  echo "Unpacking Debian's $package under .tools" >&2
  download "$package" || fail "Cannot get $tool: it is not on PATH, and the Debian package $package could not be downloaded$(
    [ -f .tools/cache/apt.log ] && printf ' (%s)' "$(tail -n 1 .tools/cache/apt.log)"). Install $tool by hand and try again."
  program=$(find "$root" -path "*bin/$tool" | head -n 1)
  [ -n "$program" ] || fail "The Debian package $package holds no $tool. Install $tool by hand and try again."
  unpack_libraries "$package" "$program"
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' "$(libraries)" "$program" >"$bin/$tool"
  chmod +x "$bin/$tool"
done
