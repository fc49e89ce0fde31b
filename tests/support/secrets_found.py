"""Where a secret is in a directory: as it is, in other encodings, escaped, or packed."""

from __future__ import annotations

import base64
import binascii
import gzip
import lzma
import re
import urllib.parse
import zlib

PACKED = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
UNPACK = (gzip.decompress, zlib.decompress, lzma.decompress)


def found(top, secrets):
    """The secrets that any file or path below a folder holds, with the files."""
    where = {}
    for file in sorted(top.rglob("*")):
        name = str(file.relative_to(top))
        texts = [name.encode(), *(layers(file.read_bytes()) if file.is_file() else ())]
        for secret in secrets:
            if any(form in text for form in forms(secret) for text in texts):
                where.setdefault(secret, []).append(name)
    return where


def forms(secret):
    """A secret in the encodings in which it may stand in a file."""
    data = secret.encode()
    yield from (data, data[::-1], secret.upper().encode(), secret.encode("utf-16-le"), secret.encode("utf-16-be"))
    yield from (binascii.hexlify(data), binascii.hexlify(data).upper(), urllib.parse.quote(secret).encode())
    yield "".join(f"\\x{byte:02x}" for byte in data).encode()
    yield "".join(f"\\u{ord(letter):04x}" for letter in secret).encode()
    for shift in range(3):  # within a longer text: what is the same whatever stands around
        text = base64.b64encode(b"\0" * shift + data)
        inner = text[4 if shift else 0 : len(text) // 4 * 4 - 4]
        if len(inner) >= 6:
            yield inner


def layers(data):
    """A file's bytes, and what is packed in them."""
    yield data
    yield from unpacked(data)
    for match in PACKED.finditer(data):
        for decode in (base64.b64decode, base64.urlsafe_b64decode, base64.b85decode):
            try:
                inner = decode(match[0])
            except ValueError:
                continue
            yield from unpacked(inner)


def unpacked(data):
    for unpack in UNPACK:
        try:
            yield unpack(data)
        except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError):
            continue
