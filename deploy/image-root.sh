#!/bin/sh
# image-root.sh ROOT PROGRAM: fills ROOT with what PROGRAM needs to run alone: itself, the dynamic loader and every
# library that it loads (a static program has none), CA certificates, a user. Used by deploy/Dockerfile and release.sh.
# SYSROOT: where the libraries and certificates are (/): for another machine's, a folder with Debian's packages, which are
# only unpacked. STRIP: the strip of that machine.
set -eu
root=$1 program=$2 from=${SYSROOT:-}
name=$(basename "$program")

mkdir -p "$root/usr/bin" "$root/etc/ssl/certs"
"${STRIP:-strip}" --strip-unneeded -o "$root/usr/bin/$name" "$program"
chmod 0755 "$root/usr/bin/$name"

case $(readelf -h "$program") in
*X86-64*) triple=x86_64-linux-gnu ;;
*AArch64*) triple=aarch64-linux-gnu ;;
*) echo "image-root.sh: $program is of another machine than amd64 and arm64" >&2; exit 1 ;;
esac
# Every library must be found inside ROOT, not only here: each that is copied brings those that it names.
copy() {
	[ -e "$root$1" ] && return
	mkdir -p "$root$(dirname "$1")"
	cp -L "$from$1" "$root$1"
	add_libraries "$root$1"
}
add_libraries() {
	for library in $(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
		case $library in ld-linux*) continue ;; esac # the loader, which was copied by its full path
		for folder in "/lib/$triple" "/usr/lib/$triple"; do
			[ ! -e "$from$folder/$library" ] || { copy "$folder/$library"; continue 2; }
		done
		echo "image-root.sh: no $library below ${from:-/}" >&2
		exit 1
	done
}
loader=$(readelf -lW "$program" | sed -n 's/.*interpreter: \(.*\)\]$/\1/p')
[ -z "$loader" ] || copy "$loader"
add_libraries "$root/usr/bin/$name"

# ca-certificates makes the bundle of these files when it is installed.
if [ -n "$from" ]; then
	find "$from/usr/share/ca-certificates" -name '*.crt' | LC_ALL=C sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
else
	cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi
[ -s "$root/etc/ssl/certs/ca-certificates.crt" ] || { echo "image-root.sh: no CA certificates" >&2; exit 1; }
echo 'nonroot:x:65532:65532:nonroot:/:/sbin/nologin' >"$root/etc/passwd"
echo 'nonroot:x:65532:' >"$root/etc/group"
# Names are looked up in the pod's /etc/hosts first; libc has both look-ups built in.
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
[ -n "$from" ] || chroot "$root" "/usr/bin/$name" --version >/dev/null
