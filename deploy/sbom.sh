#!/bin/sh
# sbom.sh ROOT VERSION: writes ROOT/usr/share/sbom/goodput-controller.spdx.json, the bill of materials (SPDX 2.3) of what
# image-root.sh put there: each file with its checksums, each Debian package that one of them comes from with its version and
# its licenses, whose texts it puts there too (/usr/share/doc/PACKAGE/copyright, as Debian has it). Files of no package are
# this project's; its own license is ./LICENSE. Times: SOURCE_DATE_EPOCH, else now. SYSROOT: where the packages are (/).
set -eu
root=$1 version=${2:?"sbom.sh: which version?"} from=${SYSROOT:-}
[ -z "$from" ] || export DPKG_ADMINDIR="$from/var/lib/dpkg"
out=$root/usr/share/sbom/goodput-controller.spdx.json
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
rm -f "$out" "$out.new"
mkdir -p "$(dirname "$out")"

# owner PATH: the package that installed it. dpkg remembers libraries with or without /usr; the bundle of certificates
# is made by ca-certificates when it is installed and belongs to nobody in dpkg's eyes.
owner() {
	if [ "$1" = /etc/ssl/certs/ca-certificates.crt ]; then echo ca-certificates; return; fi
	case $1 in
	/etc/* | /usr/bin/* | /usr/share/doc/goodput-controller/*) return ;;
	esac
	for path in "$1" "/usr$1" "${1#/usr}"; do
		found=$(dpkg-query -S "$path" 2>/dev/null | grep -v '^diversion' | head -n 1) && [ -n "$found" ] && echo "${found%%:*}" && return
	done
	echo "sbom.sh: no package owns $1" >&2
	exit 1
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
files() { (cd "$root" && find . -type f | sed 's/^\.//' | LC_ALL=C sort); }
add_license() {
	mkdir -p "$root/usr/share/doc/$1"
	cp -L "$2" "$root/usr/share/doc/$1/copyright"
}
files | while read -r path; do owner "$path"; done | sort -u | while read -r package; do
	add_license "$package" "$from/usr/share/doc/$package/copyright"
done
add_license goodput-controller "$(dirname "$0")/../LICENSE"
# text FILE: as the inside of a JSON string. names FILE: the licenses that a copyright file of Debian's form names.
text() { iconv -c -f UTF-8 -t UTF-8 "$1" | tr -d '\000-\010\013-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g; s/$/\\n/' | tr -d '\n'; }
names() {
	if head -n 3 "$1" | grep -q '^Format:'; then
		echo "its copyright file names: $(sed -n 's/^License: *//p' "$1" | LC_ALL=C sort -u | tr -d '"\\' | paste -s -d ';' | sed 's/;/; /g')"
	else
		echo "its copyright file is in no fixed form"
	fi
}

files | while read -r path; do
	package=$(owner "$path")
	echo "$path ${package:-goodput-controller} $(sha1sum <"$root$path" | cut -d' ' -f1) $(sha256sum <"$root$path" | cut -d' ' -f1)"
done >"$list"
packages=$(cut -d' ' -f2 "$list" | sort -u | grep -vx goodput-controller)
id() { printf %s "$1" | tr -c 'A-Za-z0-9.-' '-'; }

{
	cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "goodput-controller-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/goodput-controller-$version-$(sha256sum <"$list" | cut -c1-32)",
  "creationInfo": {"created": "$created", "creators": ["Tool: deploy/sbom.sh"]},
  "packages": [
    {"SPDXID": "SPDXRef-Package-goodput-controller", "name": "goodput-controller", "versionInfo": "$version", "downloadLocation": "NOASSERTION",
     "filesAnalyzed": false, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
     "primaryPackagePurpose": "APPLICATION"}
JSON
	for package in $packages; do
		dpkg-query -W -f '${Version} ${Architecture} ${source:Package} ${source:Version}\n' "$package" | head -n 1 | {
			read -r its_version architecture source source_version
			printf '    ,{"SPDXID": "SPDXRef-Package-%s", "name": "%s", "versionInfo": "%s", "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION",\n' \
				"$(id "$package")" "$package" "$its_version"
			printf '     "filesAnalyzed": false, "licenseConcluded": "NOASSERTION", "licenseDeclared": "LicenseRef-Debian-%s", "copyrightText": "NOASSERTION",\n' "$(id "$package")"
			printf '     "licenseComments": "%s",\n' "$(names "$root/usr/share/doc/$package/copyright")"
			printf '     "sourceInfo": "built from Debian source %s %s",\n' "$source" "$source_version"
			printf '     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:deb/debian/%s@%s?arch=%s"}]}\n' \
				"$package" "$(printf %s "$its_version" | sed 's/+/%2B/g; s/:/%3A/g')" "$architecture"
		}
	done
	printf '  ],\n  "hasExtractedLicensingInfos": ['
	comma=
	for package in $packages; do
		printf '%s\n    {"licenseId": "LicenseRef-Debian-%s", "name": "Licenses of the Debian package %s", "extractedText": "%s"}' "$comma" \
			"$(id "$package")" "$package" "$(text "$root/usr/share/doc/$package/copyright")"
		comma=,
	done
	printf '\n  ],\n  "files": [\n'
	awk '{printf "    %s{\"SPDXID\": \"SPDXRef-File-%d\", \"fileName\": \".%s\", \"checksums\": [{\"algorithm\": \"SHA1\", \"checksumValue\": \"%s\"}, {\"algorithm\": \"SHA256\", \"checksumValue\": \"%s\"}],\n     \"licenseConcluded\": \"NOASSERTION\", \"copyrightText\": \"NOASSERTION\"}\n", (NR > 1 ? "," : ""), NR, $1, $3, $4}' "$list"
	printf '  ],\n  "relationships": [\n    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-Package-goodput-controller"}\n'
	for package in $packages; do
		printf '    ,{"spdxElementId": "SPDXRef-Package-goodput-controller", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": "SPDXRef-Package-%s"}\n' "$(id "$package")"
	done
	awk '{name = $2; gsub(/[^A-Za-z0-9.-]/, "-", name); printf "    ,{\"spdxElementId\": \"SPDXRef-Package-%s\", \"relationshipType\": \"CONTAINS\", \"relatedSpdxElement\": \"SPDXRef-File-%d\"}\n", name, NR}' "$list"
	printf '  ]\n}\n'
} >"$out.new"
mv "$out.new" "$out"
