#!/usr/bin/env python3
"""image-layout.py OUT VERSION ARCH=ROOT...: the controller's image for each ARCH, with the files below ROOT, as one archive of
an OCI image layout (github.com/opencontainers/image-spec, image-layout.md): skopeo, podman, crane and docker read it. User and
entrypoint are those of deploy/Dockerfile. The same files give the same bytes. Time: SOURCE_DATE_EPOCH."""
import datetime
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile

OCI = "application/vnd.oci.image."
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
blobs = {}


def add(archive, name, content=None, mode=0o644):
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.mode = EPOCH, mode
    if content is None:
        entry.type, entry.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(entry)
    else:
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))


def blob(media_type, content, **more):
    """Keeps the content; returns its descriptor."""
    if not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(content).hexdigest()
    blobs[digest] = content
    return {"mediaType": OCI + media_type, "digest": f"sha256:{digest}", "size": len(content), **more}


def layer_of(root):
    """The files as a tar archive, all owned by root: (its digest, its compressed descriptor)."""
    plain, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(os.path.join(folder, name) for folder, folders, files in os.walk(root) for name in folders + files):
            name = os.path.relpath(path, root)
            if os.path.islink(path):
                sys.exit(f"image-layout.py: {path}: a link; image-root.sh writes files")
            if os.path.isdir(path):
                add(archive, name)
            else:
                with open(path, "rb") as file:
                    add(archive, name, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write(plain.getvalue())
    return f"sha256:{hashlib.sha256(plain.getvalue()).hexdigest()}", blob("layer.v1.tar+gzip", packed.getvalue())


def image(arch, root, version, created):
    with open(os.path.join(os.path.dirname(__file__), "Dockerfile"), encoding="utf-8") as file:
        dockerfile = file.read()
    diff_id, layer = layer_of(root)
    labels = {"title": "goodput-controller", "version": version, "licenses": "Apache-2.0"}
    config = blob("config.v1+json", {
        "created": created, "architecture": arch, "os": "linux",
        "config": {"User": re.search(r"^USER (.*)$", dockerfile, re.M)[1], "Entrypoint": json.loads(re.search(r"^ENTRYPOINT (.*)$", dockerfile, re.M)[1]),
                   "Env": ["PATH=/usr/bin"], "Labels": {"org.opencontainers.image." + k: v for k, v in labels.items()}},
        "rootfs": {"type": "layers", "diff_ids": [diff_id]}, "history": [{"created": created, "created_by": "deploy/image-layout.py"}]})
    return blob("manifest.v1+json", {"schemaVersion": 2, "mediaType": OCI + "manifest.v1+json", "config": config, "layers": [layer]},
                platform={"architecture": arch, "os": "linux"})


def main():
    out, version, *roots = sys.argv[1:]
    created = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    manifests = [image(*pair.split("=", 1), version, created) for pair in roots]
    both = blob("index.v1+json", {"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": manifests},
                annotations={"org.opencontainers.image.ref.name": version})
    index = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json", "manifests": [both]}
    with tarfile.open(out, "w", format=tarfile.USTAR_FORMAT) as archive:
        add(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        add(archive, "index.json", json.dumps(index, sort_keys=True).encode())
        for folder in ("blobs", "blobs/sha256"):
            add(archive, folder)
        for digest, content in sorted(blobs.items()):
            add(archive, f"blobs/sha256/{digest}", content)


main()
