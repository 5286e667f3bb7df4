#!/bin/sh
# snapshot.sh DATE [ROOT]: has apt read Debian's archives as they were at DATE (20261005T000000Z). Debian's base images
# name the snapshot that they were made from in a comment above each archive's address: this puts it in the place of the
# address, so that a rebuild installs the same versions. Fails where an archive would be read that names no snapshot, or
# one of another date. Used by deploy/Dockerfile. ROOT: in place of / (for tests).
set -eu
date=${1:?"snapshot.sh: which date?"} etc=${2:-}/etc/apt
for file in "$etc"/sources.list.d/*.sources; do
	[ -e "$file" ] || continue
	awk '/^#[ \t]*https?:[^ ]*\/[0-9]+T[0-9]+Z\/?$/ {snapshot = $NF; sub(/^#/, "", snapshot)}
		/^URIs:/ && snapshot != "" {print "URIs: " snapshot "\nCheck-Valid-Until: no"; snapshot = ""; next}
		{print}' "$file" >"$file.new"
	mv "$file.new" "$file"
done
# Release files of a snapshot expire: Check-Valid-Until above is for them alone; their signatures are checked as ever.
undated=$(sed -n 's/^URIs:[ \t]*//p' "$etc"/sources.list.d/*.sources 2>/dev/null | tr -s ' \t' '\n' | grep -v "/$date/*\$" || true)
undated=$undated$(cat "$etc"/sources.list "$etc"/sources.list.d/*.list 2>/dev/null | grep '^[ 	]*deb' || true)
if [ -n "$undated" ]; then
	echo "snapshot.sh: the base image names no snapshot of $date for:" "$undated" >&2
	echo "snapshot.sh: set BASE and SNAPSHOT in deploy/Dockerfile to the same date" >&2
	exit 1
fi
