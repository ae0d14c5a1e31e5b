# SPDX-License-Identifier: Apache-2.0
"""Files that are cut, flipped, spliced and filled with extreme numbers: each is read, or refused with one sentence, in time and
within its memory. DUNLIN_ATTACK_SECONDS=N goes on for N seconds, otherwise for six; the seeds are the same in each run."""

import gzip
import json
import os
import pathlib
import random
import re
import resource
import struct
import time
import zipfile

from attack import LEFT, BAD_INPUT, BAD_FILE, MEMORY, attack, run, sentence

EXTREMES = [b"1e308", b"-1e308", b"1e39", b"nan", b"inf", b"-0", b"1e-320", b"9" * 40, b"4294967296", b"18446744073709551615", b"-1", b"", b"0x1p5", b"1e999999999"]
SHORT_SECONDS = 6
ADDRESS_SPACE = 2 << 30


def npy(rows, columns):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117).encode() + b"\n"
    values = struct.pack(f"<{rows * columns}f", *[(i * 37 % 101) / 7 for i in range(rows * columns)])
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values


def archive(files):
    with zipfile.ZipFile("seed.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return pathlib.Path("seed.zip").read_bytes()


def workbook(cells):
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    rows = "".join(f'<row r="{r + 1}">' + "".join(f'<c r="{"ABCD"[c]}{r + 1}"><v>{v}</v></c>' for c, v in enumerate(row)) + "</row>" for r, row in enumerate(cells))
    return archive(
        {
            "xl/workbook.xml": f'<workbook xmlns:r="{relations}"><sheets><sheet name="s" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
        }
    )


def seeds():
    """Files by their names: one for each reader that needs no other program to make one."""
    cells = [[(r * 7 + c * 13 + r * c) % 101 / 4 for c in range(4)] for r in range(12)]
    table = "\n".join(",".join(map(str, row)) for row in cells) + "\n"
    square = "\n".join(" ".join(str(abs(i - j)) for j in range(8)) for i in range(8)) + "\n"
    pairs = [(i, (i * 5 + 3) % 12) for i in range(12)]
    nodes = [{"id": str(i)} for i in range(12)]
    links = [{"source": str(a), "target": str(b), "weight": 1 + a} for a, b in pairs]
    xml_nodes = "".join(f'<node id="{i}" label="n{i}"/>' for i in range(12))
    xml_edges = "".join(f'<edge id="{a}" source="{a}" target="{b}"/>' for a, b in pairs)
    texts = {
        "t.csv": "a,b,c,label\n" + table,
        "q.tsv": table.replace(",", "\t"),
        "s.txt": square,
        "r.jsonl": "".join(json.dumps({"a": r[0], "b": r[1], "c": [r[2], r[3]]}) + "\n" for r in cells),
        "v.svm": "".join(f"{i % 3} 1:{r[0]} 3:{r[1]}\n" for i, r in enumerate(cells)),
        "m.mtx": "%%MatrixMarket matrix coordinate real general\n12 12 12\n" + "".join(f"{a + 1} {b + 1} 2.5\n" for a, b in pairs),
        "e.edges": "".join(f"{a} {b} {a + 1}\n" for a, b in pairs),
        "n.json": json.dumps({"nodes": nodes, "links": links}),
        "g.gml": "graph [" + "".join(f"node [ id {i} ]\n" for i in range(12)) + "".join(f"edge [ source {a} target {b} ]\n" for a, b in pairs) + "]",
        "g.graphml": f'<graphml><graph edgedefault="undirected">{xml_nodes}{xml_edges}</graph></graphml>',
        "g.gexf": f"<gexf><graph><nodes>{xml_nodes}</nodes><edges>{xml_edges}</edges></graph></gexf>",
        "g.dot": "graph {" + "".join(f"{a} -- {b} [weight={a + 1}];\n" for a, b in pairs) + "}",
        "p.net": "*Vertices 12\n" + "".join(f'{i + 1} "v{i}"\n' for i in range(12)) + "*Edges\n" + "".join(f"{a + 1} {b + 1} 1\n" for a, b in pairs),
        "c.graph": "4 4\n2 3\n1 4\n1 4\n2 3\n",
        "d.tgf": "".join(f"{i} n{i}\n" for i in range(12)) + "#\n" + "".join(f"{a} {b}\n" for a, b in pairs),
        "d.gdf": "nodedef>name VARCHAR\n" + "".join(f"{i}\n" for i in range(12)) + "edgedef>node1 VARCHAR,node2 VARCHAR\n" + "".join(f"{a},{b}\n" for a, b in pairs),
        "d.sif": "".join(f"a{a} pp b{b}\n" for a, b in pairs),
    }
    files = {name: text.encode() for name, text in texts.items()}
    files["a.npy"] = npy(12, 4)
    files["a.npz"] = archive({"points.npy": npy(12, 4)})
    files["a.zip"] = archive({"t.csv": files["t.csv"]})
    files["a.xlsx"] = workbook(cells)
    files["a.csv.gz"] = gzip.compress(files["t.csv"], mtime=0)
    files["a.fvecs"] = b"".join(struct.pack("<i4f", 4, *row) for row in cells)
    files["a.idx3-ubyte"] = struct.pack(">4i", 0x803, 6, 2, 2) + bytes(range(24))
    head = json.dumps({"points": {"dtype": "F32", "shape": [12, 4], "data_offsets": [0, 192]}}).encode()
    files["a.safetensors"] = struct.pack("<Q", len(head)) + head + npy(12, 4)[-192:]
    return files


def mutated(data, other, chance):
    """One to three changes of a file."""
    for _ in range(chance.randint(1, 3)):
        at, kind = chance.randrange(len(data) + 1), chance.randrange(6)
        end = min(len(data), at + chance.randint(1, 64))
        if kind == 0 and at < len(data):  # a bit
            data = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
        elif kind == 1:  # the end is missing
            data = data[:at]
        elif kind == 2:  # from here on another file
            data = data[:at] + other[chance.randrange(len(other) + 1) :]
        elif kind == 3:  # a part many times
            data = data[:at] + data[at:end] * chance.randint(2, 300) + data[end:]
        elif kind == 4:  # a number is another
            numbers = list(re.finditer(rb"\d+(\.\d+)?", data))
            if numbers:
                found = chance.choice(numbers)
                data = data[: found.start()] + chance.choice(EXTREMES) + data[found.end() :]
        elif end - at >= 4:  # a binary number is another
            data = data[:at] + struct.pack("<I", chance.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])) + data[at + 4 :]
    return data


def is_right(name, method):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))  # noqa: E731
    for words in (["info", name], method):
        done = run(*words, seconds=20, preexec_fn=limit)
        assert done.returncode in (LEFT, BAD_INPUT, BAD_FILE, MEMORY), (words, done.returncode, done.stderr[-300:])
        if done.returncode != LEFT:
            assert sentence(done).startswith("dunlin: "), done.stderr[-300:]


@attack
def mutated_files_are_read_or_refused():
    files = seeds()
    seconds = float(os.environ.get("DUNLIN_ATTACK_SECONDS", SHORT_SECONDS))
    graphs = {".edges", ".json", ".gml", ".graphml", ".gexf", ".dot", ".net", ".graph", ".tgf", ".gdf", ".sif"}
    for name, data in files.items():  # mutants of a file that is refused would tell little
        pathlib.Path(name).write_bytes(data)
        assert run("info", name).returncode == LEFT, name
    counts, wrong = dict.fromkeys(files, 0), []
    end, seed = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        seed += 1
        for name, data in files.items():
            if time.monotonic() >= end:
                break
            chance = random.Random(f"{seed} {name}")
            changed = mutated(data, files[chance.choice(list(files))], chance)
            pathlib.Path(name).write_bytes(changed)
            method = ["layout", name, "--iterations", "5", "-o", "o.csv"] if pathlib.Path(name).suffix in graphs else ["kmeans", name, "--clusters", "2", "-o", "o.csv"]
            counts[name] += 1
            try:
                is_right(name, method)
            except Exception as fault:  # all faults are listed
                wrong.append(f"seed {seed} of {name}: {fault}")
                kept = os.environ.get("DUNLIN_ATTACK_KEEP")
                if kept:
                    (pathlib.Path(kept) / f"{seed}.{name}").write_bytes(changed)
    print("mutated files:", ", ".join(f"{pathlib.Path(name).suffix} {count}" for name, count in counts.items()))
    assert not wrong, f"{len(wrong)} of {sum(counts.values())}: " + "\n".join(wrong[:20])
