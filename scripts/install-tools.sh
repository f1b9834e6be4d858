#!/usr/bin/env bash
# install-tools.sh etcd|haproxy|kubectl|chromium|python3-kubernetes ...: makes each program available as .tools/bin/<program>.
# A program on PATH is linked; otherwise its Debian package and the libraries it lacks are unpacked under .tools/root,
# which needs no root and cannot clash with installed packages. kubectl is always Debian's: the tests are written for that one.
# python3-kubernetes is a Python that finds Debian's client library of that name and what this library needs.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/.tools/root
bin=$PWD/.tools/bin

package_of() { case $1 in etcd) echo etcd-server ;; haproxy | chromium) echo "$1" ;; kubectl) echo kubernetes-client ;; esac; }
# Packages without which the program's own does not work, and where the program lies in it.
companions_of() { case $1 in chromium) echo chromium-common ;; esac; }
path_of() { case $1 in chromium) echo "lib/chromium/chromium" ;; *) echo "bin/$1" ;; esac; }
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
# A statically linked program lacks none; ldd calls it an error.
missing_libraries() { { LD_LIBRARY_PATH=$(libraries) ldd "$1" 2>/dev/null || true; } | awk '/not found/ { print $1 }'; }

# libFLAC.so.12 is in libflac12, libopenjp2.so.7 in libopenjp2-7: most packages are named so, some with more at the end.
package_of_library() { sed -E 's/\.so\.([0-9]+)$/ \1/; s/([0-9]) /\1-/; s/ //' <<<"$1" | tr '[:upper:]_' '[:lower:]-'; }

# Unpacks the packages that the program's own package depends on, until it finds all its libraries: first those that are named
# for what is missing, which may lack others in turn, then whatever there is.
unpack_libraries() {
  local package=$1 program=$2 missing before=
  missing=$(missing_libraries "$program")
  [ -n "$missing" ] || return 0
  local dependencies
  dependencies=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances --no-pre-depends "$package" | awk '/^[a-z]/ { print $1 }' | grep -E '^lib' | grep -vx libc6)
  while [ -n "$missing" ] && [ "$missing" != "$before" ]; do
    for library in $missing; do
      local name
      name=$(package_of_library "$library")
      name=$(grep -xE -m 1 -- "${name//+/\\+}([a-z]|t64)?" <<<"$dependencies") && download "$name" || true
    done
    before=$missing
    missing=$(missing_libraries "$program")
  done
  for dependency in $dependencies; do
    [ -n "$(missing_libraries "$program")" ] || return 0
    dpkg -s "$dependency" >/dev/null 2>&1 || download "$dependency" || true
  done
  [ -n "$(missing_libraries "$program")" ] || return 0
  fail "$program lacks $(missing_libraries "$program" | paste -sd' ' -). Install the package $package and try again."
}

# A library has no program: what is made is Python with a path to it. The modules that Debian keeps apart from Python itself are
# unpacked, all of them, because those that are installed for another Python are not found by the one on PATH.
install_python_library() {
  local package=$1 dependency
  command -v python3 >/dev/null || fail "Cannot get $package: there is no python3 on PATH. Install it and try again."
  download "$package" || fail "Cannot get $package: the Debian package could not be downloaded."
  for dependency in $(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances --no-pre-depends "$package" | awk '/^python3-/ { print $1 }' |
    grep -vxE "$package|python3-(minimal|distutils|lib2to3)"); do
    download "$dependency" || fail "Cannot get $package: the Debian package $dependency could not be downloaded."
  done
  printf '#!/bin/sh\nPYTHONPATH="%s" exec python3 "$@"\n' "$root/usr/lib/python3/dist-packages" >"$bin/$package"
  chmod +x "$bin/$package"
  "$bin/$package" -c "import ${package#python3-}" || { rm "$bin/$package"; fail "Debian's $package does not work with $(command -v python3)."; }
}

for tool in "$@"; do
  [ -x "$bin/$tool" ] && continue
  mkdir -p "$bin"
  if [[ $tool == python3-* ]]; then
    echo "Unpacking Debian's $tool under .tools" >&2
    install_python_library "$tool"
    continue
  fi
  package=$(package_of "$tool")
  [ -n "$package" ] || fail "unknown tool: $tool"
  if [ "$tool" != kubectl ] && found=$(PATH=$PATH:/usr/sbin:/sbin command -v "$tool"); then
    ln -sf "$found" "$bin/$tool"
    continue
  fi
  echo "Unpacking Debian's $package under .tools" >&2
  download "$package" || fail "Cannot get $tool: it is not on PATH, and the Debian package $package could not be downloaded$(
    [ -f .tools/cache/apt.log ] && printf ' (%s)' "$(tail -n 1 .tools/cache/apt.log)"). Install $tool by hand and try again."
  for companion in $(companions_of "$tool"); do
    download "$companion" || fail "Cannot get $tool: the Debian package $companion could not be downloaded. Install $tool by hand."
  done
  program=$(find "$root" -path "*$(path_of "$tool")" | head -n 1)
  [ -n "$program" ] || fail "The Debian package $package holds no $tool. Install $tool by hand and try again."
  unpack_libraries "$package" "$program"
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' "$(libraries)" "$program" >"$bin/$tool"
  chmod +x "$bin/$tool"
done
