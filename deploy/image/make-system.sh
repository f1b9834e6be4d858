#!/bin/sh
# make-system.sh DIR: makes the file system of the image in DIR: Node.js without its symbol table, the libraries that it is
# linked with and their licences, the user orch, and the command orch. Runs in a stage of deploy/Dockerfile.
set -eu
out=$1
PACKAGES="libc6 libgcc-s1 libstdc++6 libatomic1"

mkdir -p "$out/usr/bin" "$out/usr/lib" "$out/usr/lib64" "$out/etc" "$out/tmp" "$out/run" "$out/var/lib/dpkg/status.d" "$out/var/lib/orch"
for folder in bin lib lib64; do ln -s "usr/$folder" "$out/$folder"; done
chmod 1777 "$out/tmp"

# The release and the list of packages let scanners of images find out what is inside.
cp --parents -L /etc/os-release /etc/debian_version "$out"
for package in $PACKAGES; do
  dpkg-query --status "$package" > "$out/var/lib/dpkg/status.d/$package"
  # A package may record /lib where the file is below /usr/lib.
  dpkg-query --listfiles "$package" | while read -r file; do
    case $file in
      # Node.js needs none of these: converters of characters, vector functions, parts for debuggers and old programs.
      */gconv/* | */audit/* | *.py | */libmvec.* | */libnsl.* | */libthread_db.* | */libnss_hesiod.* | */libBrokenLocale.* | */libmemusage.* | */libpcprofile.* | */libc_malloc_debug.*) ;;
      */lib*.so | */lib*.so.* | */ld-linux*.so*) target=$out/usr/${file#/} && target=$(echo "$target" | sed 's,/usr/usr/,/usr/,') && mkdir -p "${target%/*}" && cp -P "$file" "$target" ;;
    esac
  done
  # The folder may be a link to that of another package. Small base images may lack it.
  if [ -e "/usr/share/doc/$package/copyright" ]; then
    mkdir -p "$out/usr/share/doc/$package"
    cp -L "/usr/share/doc/$package/copyright" "$out/usr/share/doc/$package/"
  fi
done

strip --strip-all -o "$out/usr/bin/node" "$(command -v node)"
chmod 755 "$out/usr/bin/node"
mkdir -p "$out/usr/share/doc/nodejs"
cp "$(dirname "$(dirname "$(command -v node)")")/LICENSE" "$out/usr/share/doc/nodejs/copyright"
cat > "$out/usr/bin/orch" <<'END'
#!/usr/bin/node
require("/usr/lib/orch/node_modules/@orch/cli/bin/orch.js");
END
chmod 755 "$out/usr/bin/orch"

echo "root:x:0:0:root:/:/sbin/nologin
nobody:x:65534:65534:nobody:/:/sbin/nologin
orch:x:65532:65532:orch:/var/lib/orch:/sbin/nologin" > "$out/etc/passwd"
echo "root:x:0:
nogroup:x:65534:
orch:x:65532:" > "$out/etc/group"
echo "hosts: files dns" > "$out/etc/nsswitch.conf"
chown -R 65532:65532 "$out/var/lib/orch"
chmod 700 "$out/var/lib/orch"
chroot "$out" /usr/bin/node --version
