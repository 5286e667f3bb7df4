#!/usr/bin/env python3
"""sbom.py ROOT: compares the image's bill of materials with the image below ROOT. A line a check."""
import hashlib
import json
import os
import re
import sys

root = sys.argv[1]
path = os.path.join(root, "usr/share/sbom/goodput-controller.spdx.json")
failed = 0


def check(what, wrong):
    global failed
    failed += bool(wrong)
    print(("not ok - " if wrong else "ok - ") + what + (f": {wrong}" if wrong else ""))


with open(path, encoding="utf-8") as file:
    document = json.load(file)
fixed = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT"}
check("SBOM: says that it is SPDX 2.3", [k for k, v in fixed.items() if document.get(k) != v])
check("SBOM: when and by what it was made", [] if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]) and document["creationInfo"]["creators"] else document["creationInfo"])
check("SBOM: a namespace of its own", [] if document["documentNamespace"].startswith("https://") and "#" not in document["documentNamespace"] else document["documentNamespace"])

packages = {p["SPDXID"]: p for p in document["packages"]}
files = {f["SPDXID"]: f for f in document["files"]}
ids = [*packages, *files, "SPDXRef-DOCUMENT"]
check("SBOM: every id once, of SPDX's letters", len(ids) != len(document["packages"]) + len(document["files"]) + 1 or [i for i in ids if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i)])
dangling = [r for r in document["relationships"] if r["spdxElementId"] not in ids or r["relatedSpdxElement"] not in ids]
check("SBOM: relationships are between what is there", dangling)

there = {}
for folder, _, names in os.walk(root):
    for name in names:
        full = os.path.join(folder, name)
        if full != path and os.path.isfile(full) and not os.path.islink(full):
            with open(full, "rb") as file:
                there["./" + os.path.relpath(full, root)] = file.read()
named = {f["fileName"]: {c["algorithm"]: c["checksumValue"] for c in f["checksums"]} for f in document["files"]}
check(f"SBOM: names the image's {len(there)} files and no others", sorted(set(there) ^ set(named)))
wrong = [n for n, sums in named.items() if n in there and (sums["SHA256"] != hashlib.sha256(there[n]).hexdigest() or sums["SHA1"] != hashlib.sha1(there[n]).hexdigest())]
check("SBOM: their checksums", wrong)

owner = {}
for r in document["relationships"]:
    if r["relationshipType"] == "CONTAINS":
        owner[files[r["relatedSpdxElement"]]["fileName"]] = packages[r["spdxElementId"]]
check("SBOM: every file is of one package", sorted(set(named) - set(owner)))
libraries = [n for n in named if ".so" in n]
check(f"SBOM: each of the {len(libraries)} libraries is of a Debian package", not libraries or [n for n in libraries if owner[n]["name"] == "goodput-controller"])
check("SBOM: the programs are ours", {owner[n]["name"] for n in named if "/bin/" in n} != {"goodput-controller"})
debian = [p for p in packages.values() if p["name"] != "goodput-controller"]
check("SBOM: Debian packages have versions and purls", not debian or [p["name"] for p in debian if not p["versionInfo"] or not p["externalRefs"][0]["referenceLocator"].startswith(f"pkg:deb/debian/{p['name']}@")])

texts = {i["licenseId"]: i["extractedText"] for i in document["hasExtractedLicensingInfos"]}


def copyright_of(name):
    return there.get(f"./usr/share/doc/{name}/copyright", b"").decode("utf-8", "ignore").replace("\f", "").replace("\r", "")


check("SBOM: our own license", [p["licenseDeclared"] for p in packages.values() if p["name"] == "goodput-controller"] != ["Apache-2.0"] or "Apache License" not in copyright_of("goodput-controller"))
check(f"SBOM: the licenses of the {len(debian)} Debian packages, their texts in the image", [p["name"] for p in debian if len(copyright_of(p["name"])) < 500 or texts.get(p["licenseDeclared"], "").strip() != copyright_of(p["name"]).strip() or not p["licenseComments"]])

# What the library itself says that it is.
curl = next((n for n in libraries if "/libcurl" in n), None)
inside = re.search(rb"libcurl/(\d+\.\d+\.\d+)", there[curl]) if curl else None
check("SBOM: libcurl's version is the one it tells itself", not inside or not owner[curl]["versionInfo"].startswith(inside[1].decode()) and (inside[1], owner[curl]["versionInfo"]))
sys.exit(1 if failed else 0)
