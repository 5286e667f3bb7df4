#!/usr/bin/env python3
"""release-sbom.py SYSROOT MAP PROGRAM VERSION OS-ARCH: the bill of materials (SPDX 2.3) of a static program, on standard output:
the Debian packages whose libraries are in it, as the linker's map names them, with their versions and licenses. What
is below SYSROOT is only unpacked: its versions are those of the changelogs. MAP -: SYSROOT holds the unpacked sources of
Debian, all of which are in the program, and zig, whose runtime is. Time: SOURCE_DATE_EPOCH."""
import datetime
import glob
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys

# Of what is unpacked, dpkg knows no owner.
OWNERS = {"libyaml.a": "libyaml-dev", "libjansson.a": "libjansson-dev", "libpcre2-8.a": "libpcre2-dev", "libz.a": "zlib1g-dev"}
OF_LIBC = re.compile(r"(rcrt1|crti|crtn)\.o|lib(c|m|m-[0-9.]+|mvec)\.a")


def of_debian(sysroot, package, arch):
    folder = f"{sysroot}/usr/share/doc/{package}"
    with gzip.open(f"{folder}/changelog.Debian.gz", "rt", encoding="utf-8") as changelog:
        source, version = re.match(r"(\S+) \(([^)]+)\)", changelog.readline()).groups()
    with open(f"{folder}/copyright", encoding="utf-8") as file:
        return source, version, arch, file.read()


def of_machine(path):
    package = subprocess.run(["dpkg-query", "-S", os.path.realpath(path)], check=True, capture_output=True, text=True).stdout.split(":")[0]
    source, version, architecture = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${Version} ${Architecture}\n", package], check=True,
                                                   capture_output=True, text=True).stdout.splitlines()[0].split()
    with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8") as file:
        return package, source, version, architecture, file.read()


def used(sysroot, map_file, arch):
    """{package: (source, version, architecture, copyright)} of the libraries and start files in the program."""
    with open(map_file, encoding="utf-8", errors="replace") as file:
        loaded = {os.path.normpath(p) for p in re.findall(r"^LOAD (\S+)", file.read(), re.M)}
    found = {}
    for path in sorted(p for p in loaded if os.path.isabs(p)):
        name = os.path.basename(path)
        if not path.startswith(os.path.normpath(sysroot) + "/"):
            package, *rest = of_machine(path)
            found[package] = tuple(rest)
        elif name in OWNERS or OF_LIBC.fullmatch(name):
            package = OWNERS.get(name, "libc6-dev")
            found[package] = of_debian(sysroot, package, arch)
        else:
            sys.exit(f"release-sbom.py: {path}: which package is it of?")
    return found


def of_sources(folder):
    """The same of a program for macOS."""
    found = {}
    for package in ("jansson", "libyaml", "pcre2", "zlib"):
        with open(f"{folder}/{package}/debian/changelog", encoding="utf-8") as changelog:
            source, version = re.match(r"(\S+) \(([^)]+)\)", changelog.readline()).groups()
        with open(f"{folder}/{package}/debian/copyright", encoding="utf-8") as file:
            found[package] = (source, version, "source", file.read())
    return found


def main():
    sysroot, map_file, program, version, platform = sys.argv[1:]
    arch = platform.partition("-")[2]
    with open(program, "rb") as file:
        content = file.read()
    packages = of_sources(sysroot) if map_file == "-" else used(sysroot, map_file, arch)
    missing = set() if map_file == "-" else {"libyaml-dev", "libjansson-dev", "libpcre2-dev", "zlib1g-dev", "libc6-dev"} - {p.removesuffix("-arm64-cross") for p in packages}
    if missing:
        sys.exit(f"release-sbom.py: the linker's map has nothing of {', '.join(sorted(missing))}")
    digest = hashlib.sha256(content).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    ours = {"SPDXID": "SPDXRef-Package-kubectl-goodput", "name": "kubectl-goodput", "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": "APPLICATION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    theirs = [{"SPDXID": f"SPDXRef-Package-{p}", "name": p, "versionInfo": v, "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION",
               "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": f"LicenseRef-Debian-{p}", "copyrightText": "NOASSERTION",
               "sourceInfo": f"built from Debian source {s} {v}",
               "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                 "referenceLocator": f"pkg:deb/debian/{p}@{v.replace('+', '%2B').replace(':', '%3A')}?arch={a}"}]}
              for p, (s, v, a, _) in sorted(packages.items())]
    if map_file == "-":
        zig = os.path.basename(glob.glob(f"{sysroot}/../zig/lib/python3*/site-packages/ziglang-*.dist-info")[0]).split("-")[1].removesuffix(".dist")
        theirs.append({"SPDXID": "SPDXRef-Package-zig", "name": "zig", "versionInfo": zig, "supplier": "Organization: Zig Software Foundation",
                       "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "MIT",
                       "copyrightText": "NOASSERTION", "sourceInfo": "its compiler runtime",
                       "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:pypi/ziglang@{zig}"}]})
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"kubectl-goodput-{version}-{platform}",
        "documentNamespace": f"https://spdx.org/spdxdocs/kubectl-goodput-{version}-{platform}-{digest[:32]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: deploy/release-sbom.py"]},
        "packages": [ours, *theirs],
        "hasExtractedLicensingInfos": [{"licenseId": f"LicenseRef-Debian-{p}", "name": f"Licenses of the Debian package {p}", "extractedText": text}
                                       for p, (*_, text) in sorted(packages.items())],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": ours["SPDXID"]},
                          *({"spdxElementId": ours["SPDXID"], "relationshipType": "STATIC_LINK", "relatedSpdxElement": p["SPDXID"]} for p in theirs)],
    }, sys.stdout, indent=1)
    print()


main()
