#!/bin/sh
# image-root.sh ROOT PROGRAM: fills ROOT with what PROGRAM needs to run alone: itself, the dynamic loader and every
# library that it loads (a static program has none), CA certificates, a user. Used by deploy/Dockerfile.
set -eu
root=$1 program=$2
name=$(basename "$program")

mkdir -p "$root/usr/bin" "$root/etc/ssl/certs"
install -m 0755 "$program" "$root/usr/bin/$name"
strip --strip-unneeded "$root/usr/bin/$name"

# ldd prints "name => path (address)" and, for the loader, "path (address)".
libraries=$(ldd "$program") || libraries='statically linked'
case $libraries in *'not found'*) echo "image-root.sh: libraries are missing: $libraries" >&2; exit 1 ;; esac
echo "$libraries" | sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p' | sort -u | while read -r library; do
	mkdir -p "$root$(dirname "$library")"
	cp -L "$library" "$root$library"
done

cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo 'nonroot:x:65532:65532:nonroot:/:/sbin/nologin' >"$root/etc/passwd"
echo 'nonroot:x:65532:' >"$root/etc/group"
# Names are looked up in the pod's /etc/hosts first; libc has both look-ups built in.
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

# Every library must be found inside ROOT, not only here.
case $libraries in *'statically linked'*) exec chroot "$root" "/usr/bin/$name" version >/dev/null ;; esac
loader=$(echo "$libraries" | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p')
chroot "$root" "$loader" --list "/usr/bin/$name" >/dev/null
