#!/usr/bin/env python3
"""macho.py PROGRAM ARCH: a program for macOS, read byte by byte, because nothing here runs it: it is of the processor, asks
for macOS 11, loads libSystem alone, has an ad hoc signature whose hash of each page is right, and holds the files that
the assembler put into it, each behind its size."""
import glob
import hashlib
import struct
import sys

CPU = {"x86_64": 0x01000007, "arm64": 0x0100000C}
LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION, VERSION_MIN = 0xC, 0x1D, 0x32, 0x24


def commands(data):
    magic, cpu, _, filetype, count, _, flags, _ = struct.unpack_from("<8I", data)
    assert magic == 0xFEEDFACF and filetype == 2, "not a 64-bit Mach-O program"
    assert flags & 0x200000, "not position-independent"
    at = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<2I", data, at)
        yield kind & 0x7FFFFFFF, data[at : at + size], cpu
        at += size


def check_signature(data, at, size):
    """Apple's CodeDirectory (cs_blobs.h of XNU): big-endian, a SHA-256 for each page up to codeLimit."""
    blob = data[at : at + size]
    magic, _, count = struct.unpack_from(">3I", blob)
    assert magic == 0xFADE0CC0, "no signature"
    offset = next(o for kind, o in struct.iter_unpack(">2I", blob[12 : 12 + 8 * count]) if kind == 0)
    directory = blob[offset:]
    magic, _, _, flags, hashes, _, _, pages, limit = struct.unpack_from(">9I", directory)
    hash_size, hash_type, _, page_shift = struct.unpack_from(">4B", directory, 36)
    assert magic == 0xFADE0C02 and flags & 2, "not an ad hoc signature"
    assert (hash_size, hash_type) == (32, 2) and limit == at, (hash_size, hash_type, limit, at)
    page = 1 << page_shift
    assert pages == -(-limit // page)
    for i in range(pages):
        found = hashlib.sha256(data[i * page : min((i + 1) * page, limit)]).digest()
        assert found == directory[hashes + 32 * i : hashes + 32 * (i + 1)], f"the hash of page {i} is wrong"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    libraries, signatures, oldest = [], 0, None
    for kind, command, cpu in commands(data):
        assert cpu == CPU[sys.argv[2]], hex(cpu)
        if kind == LOAD_DYLIB:
            libraries.append(command[struct.unpack_from("<I", command, 8)[0] :].rstrip(b"\0").decode())
        elif kind == BUILD_VERSION:
            oldest = struct.unpack_from("<I", command, 12)[0] >> 16
        elif kind == VERSION_MIN:
            oldest = struct.unpack_from("<I", command, 8)[0] >> 16
        elif kind == CODE_SIGNATURE:
            check_signature(data, *struct.unpack_from("<2I", command, 8))
            signatures += 1
    assert libraries == ["/usr/lib/libSystem.B.dylib"], libraries
    assert oldest == 11, oldest
    assert signatures == 1 or sys.argv[2] == "x86_64", "macOS on arm64 runs no program without a signature"
    files = ["controller/rootcause/signatures.tsv"] + glob.glob("controller/export/page/*") + glob.glob("helm/goodput-controller/files/formats/*.yaml")
    assert len(files) > 10
    for path in files:
        with open(path, "rb") as file:
            content = file.read()
        assert struct.pack("<Q", len(content)) + content + b"\0" in data, path


main()
