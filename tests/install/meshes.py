# SPDX-License-Identifier: Apache-2.0
"""meshes.py FILE:closed|open|empty|any ...: reads .ply, .glb and .stl by their specifications and checks the topology.

closed: every edge belongs to two triangles, in opposite directions. open: some edges to one. .glb: also what its
description must say: lengths, alignment, bounds, unit normals.
"""

import json
import math
import struct
import sys
from collections import Counter


def read_ply(data):
    end = data.index(b"end_header\n") + 11
    lines = data[:end].decode("ascii", "replace").splitlines()
    assert lines[0] == "ply" and lines[1] == "format binary_little_endian 1.0"
    elements, properties = [], {}
    for words in (line.split() for line in lines):
        if words[0] == "element":
            elements.append((words[1], int(words[2])))
            properties[words[1]] = []
        elif words[0] == "property":
            properties[elements[-1][0]].append(words[1:])
    assert [name for name, _ in elements] == ["vertex", "face"]
    assert properties["face"] == [["list", "uchar", "int", "vertex_indices"]]
    codes = {"float": "f", "uchar": "B"}
    row = struct.Struct("<" + "".join(codes[kind] for kind, _ in properties["vertex"]))
    assert [name for _, name in properties["vertex"]][:6] == ["x", "y", "z", "nx", "ny", "nz"]
    vertices, faces = elements[0][1], elements[1][1]
    rows = [row.unpack_from(data, end + i * row.size) for i in range(vertices)]
    at = end + vertices * row.size
    triangles = [struct.unpack_from("<B3i", data, at + 13 * i) for i in range(faces)]
    assert len(data) == at + 13 * faces and all(t[0] == 3 for t in triangles)
    return [r[:3] for r in rows], [r[3:6] for r in rows], [t[1:] for t in triangles]


def read_stl(data):
    count = struct.unpack_from("<I", data, 80)[0]
    assert len(data) == 84 + 50 * count and not data.startswith(b"solid")
    number, triangles = {}, []
    for i in range(count):
        values = struct.unpack_from("<12fH", data, 84 + 50 * i)
        triangle = [number.setdefault(values[3 * c : 3 * c + 3], len(number)) for c in (1, 2, 3)]
        if len(set(triangle)) == 3:
            triangles.append(triangle)
    return list(number), [], triangles


def read_glb(data):
    magic, version, length = struct.unpack_from("<4sII", data)
    assert magic == b"glTF" and version == 2 and length == len(data)
    chunks, at = [], 12
    while at < len(data):
        size, kind = struct.unpack_from("<I4s", data, at)
        assert size % 4 == 0
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    assert at == len(data) and chunks[0][0] == b"JSON"
    gltf = json.loads(chunks[0][1])
    assert gltf["asset"]["version"] == "2.0"
    if "meshes" not in gltf:
        assert len(chunks) == 1 and "buffers" not in gltf and "nodes" not in gltf["scenes"][0]
        return [], [], []
    binary = chunks[1][1]
    assert chunks[1][0] == b"BIN\0" and gltf["buffers"][0]["byteLength"] <= len(binary)

    def values(index, code, width):
        accessor = gltf["accessors"][index]
        view = gltf["bufferViews"][accessor["bufferView"]]
        assert accessor["componentType"] == {"f": 5126, "I": 5125}[code]
        assert view.get("byteStride", 4) == 4 * width and accessor["byteOffset"] % 4 == 0 and view["byteOffset"] % 4 == 0
        assert accessor["byteOffset"] + 4 * width * accessor["count"] <= view["byteLength"]
        begin = view["byteOffset"] + accessor["byteOffset"]
        flat = struct.unpack_from("<%d%s" % (width * accessor["count"], code), binary, begin)
        return accessor, [flat[i : i + width] for i in range(0, len(flat), width)]

    positions, normals, triangles = [], [], []
    assert sorted(gltf["scenes"][0]["nodes"]) == list(range(len(gltf["nodes"])))
    for node in gltf["nodes"]:
        (primitive,) = gltf["meshes"][node["mesh"]]["primitives"]
        color = gltf["materials"][primitive["material"]]
        opacity = color["pbrMetallicRoughness"]["baseColorFactor"][3]
        assert (color.get("alphaMode", "OPAQUE") == "BLEND") == (opacity < 1)
        accessor, here = values(primitive["attributes"]["POSITION"], "f", 3)
        for axis in range(3):
            assert accessor["min"][axis] == min(p[axis] for p in here)
            assert accessor["max"][axis] == max(p[axis] for p in here)
        _, toward = values(primitive["attributes"]["NORMAL"], "f", 3)
        assert len(toward) == len(here)
        _, corners = values(primitive["indices"], "I", 1)
        corners = [c[0] for c in corners]
        assert primitive["mode"] == 4 and len(corners) % 3 == 0 and max(corners) < len(here)
        triangles += [[len(positions) + c for c in corners[i : i + 3]] for i in range(0, len(corners), 3)]
        positions += here
        normals += toward
    return positions, normals, triangles


def check(name, expected):
    with open(name, "rb") as file:
        data = file.read()
    positions, normals, triangles = {"ply": read_ply, "stl": read_stl, "glb": read_glb}[name.split(".")[-1]](data)
    assert all(abs(math.hypot(*n) - 1) < 1e-5 for n in normals), "normals are unit vectors"
    if expected == "empty":
        assert not positions and not triangles
        return
    if expected == "any":
        assert triangles
        return
    edges = Counter((t[i], t[(i + 1) % 3]) for t in triangles for i in range(3))
    single = sum((b, a) not in edges for a, b in edges)
    assert triangles and max(edges.values()) == 1, "no edge occurs twice in one direction"
    assert (single > 0) == (expected == "open"), f"{single} edges of one triangle"
    assert {v for t in triangles for v in t} == set(range(len(positions))) or name.endswith(".stl")
    outward = 0
    for t in triangles if normals else []:
        a, b, c = (positions[v] for v in t)
        u, v = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
        n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        outward += sum(n[i] * sum(normals[k][i] for k in t) for i in range(3)) >= 0
    assert not normals or outward > 0.97 * len(triangles), "normals and triangles face the same way"


for word in sys.argv[1:]:
    file, _, kind = word.partition(":")
    try:
        check(file, kind)
    except AssertionError as error:
        sys.exit(f"{file} ({kind}): {error!r}")
