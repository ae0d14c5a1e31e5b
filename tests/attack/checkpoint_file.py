# SPDX-License-Identifier: Apache-2.0
"""Checkpoints with right checksums and wrong content (src/checkpoint/sections.hpp, checksum.hpp)."""

import random
import struct

HEADER, ENTRY = struct.Struct("<8sIIQQQ"), struct.Struct("<24sQQQ")
CHUNK, MASK = 1 << 20, (1 << 64) - 1
# What attackers put in place of a number, as 4 and 8 bytes
WORDS = [struct.pack("<i", value) for value in (0, 1, -1, 2, 7, 255, 65536, 2**31 - 1, -(2**31), 10**6)]
WORDS += [struct.pack("<q", value) for value in (0, 1, -1, 3, 2**31, 2**40, 2**63 - 1, -(2**63))]
FLOATS = (float("nan"), float("inf"), -float("inf"), 3e38, -3e38, 1e10, 1e-40, 0.0, -1.0)
WORDS += [struct.pack("<f", value) for value in FLOATS] + [struct.pack("<d", value) for value in (*FLOATS, 1e300, 1e18)]


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def hash_of(state, content):
    whole = len(content) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", content[:whole]):
        state = mix(state ^ word)
    rest = len(content) - whole
    for byte in content[whole:]:
        rest = (rest << 8 | byte) & MASK
    return mix(state ^ rest)


def checksum_of(content):
    state = 0
    for begin in range(0, len(content), CHUNK):
        chunk = content[begin : begin + CHUNK]
        state = (mix(state ^ hash_of(0, chunk)) + len(chunk)) & MASK
    return mix(state)


def sections_of(content):
    """{name: bytes} of a whole file."""
    _, _, count, _, table, _ = HEADER.unpack_from(content)
    entries = [ENTRY.unpack_from(content, table + k * ENTRY.size) for k in range(count)]
    return {name.rstrip(b"\0"): content[offset : offset + size] for name, offset, size, _ in entries}


def file_of(sections):
    body, table = b"", b""
    for name, content in sections.items():
        table += ENTRY.pack(name, HEADER.size + len(body), len(content), checksum_of(content))
        body += content
    before = HEADER.pack(b"DUNLINCP", 1, len(sections), HEADER.size + len(body) + len(table), HEADER.size + len(body), 0)[:-8]
    return before + struct.pack("<Q", hash_of(hash_of(0, before), table)) + body + table


def loop_of(sections):
    """The name of the loop that runs, which with the names before it tells one stage from another."""
    run, at = sections[b"run"], 8
    for _ in range(2 * struct.unpack_from("<Q", run)[0]):
        at += 8 + struct.unpack_from("<Q", run, at)[0]
    (size,) = struct.unpack_from("<Q", run, at)
    return run[at + 8 : at + 8 + size], at


def edited(content, seed):
    """The file with one edit of a section, and what the edit was."""
    chance = random.Random(seed)
    sections = sections_of(content)
    _, after_key = loop_of(sections)
    names = [name for name, size in ((name, len(sections[name])) for name in sections) if size > 0]
    name = chance.choice([each for each in names for _ in range(1 if each == b"run" else 4)])
    part = bytearray(sections[name])
    least = after_key if name == b"run" else 0
    near = [chance.randrange(least, min(len(part), least + 160)), max(least, len(part) - 1 - chance.randrange(160))]
    at = chance.choice([*near, chance.randrange(least, len(part))])
    kind = chance.choice(["word"] * 6 + ["bits", "cut", "insert", "run of words"])
    if kind == "word":
        word = chance.choice(WORDS)
        part[at : at + len(word)] = word
    elif kind == "bits":
        part[at] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del part[at : at + chance.choice([1, 4, 8, 100, len(part)])]
    elif kind == "insert":
        part[at:at] = chance.choice(WORDS) * chance.choice([1, 2, 50])
    else:
        word = chance.choice(WORDS)
        at -= at % 4
        part[at : at + 16 * len(word)] = word * min(16, max(1, (len(part) - at) // len(word)))
    sections[name] = bytes(part)
    return file_of(sections), f"{kind} at {at} of {len(part)} in {name.decode()}, seed {seed}"
