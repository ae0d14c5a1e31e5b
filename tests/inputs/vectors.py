# SPDX-License-Identifier: Apache-2.0
"""Vectors with a token a row: word2vec, fastText, node2vec, GloVe."""

import pathlib
import struct

from harness import by_command, by_python, places, put

WORDS = ["the", ",", "km/h", '"', "#"]


def _text(head, tokens, dims, end="\n"):
    rows = [f"{token} {' '.join(str((r * 7 + d) % 5 / 4) for d in range(dims))}{end}" for r, token in enumerate(tokens)]
    return head + "".join(rows)


def _binary(path, tokens, dims, end=b"\n"):
    rows = [token.encode() + b" " + struct.pack(f"<{dims}f", *(r + d / 4 for d in range(dims))) + end for r, token in enumerate(tokens)]
    pathlib.Path(path).write_bytes(f"{len(tokens)} {dims}\n".encode() + b"".join(rows))


@by_command("word2vec-header")
def words(run):
    for name in ("w2vsmall.txt", "ftsmall.vec"):
        run(f"info {name}").prints("7 rows, 8 columns", "'the' to 'km/h'")
    put("a.vec", _text("5 4\n", WORDS, 4, " \n"))
    run("info a.vec").prints("5 rows, 4 columns", "'the' to '#'")
    run("tsne a.vec -o o.csv --iterations 20 --perplexity 1 --quiet")
    assert list(places("o.csv")) == WORDS
    put("karate.emb", _text("3 4\n", ["34", "1", "33"], 4))
    run("info karate.emb").prints("3 rows, 4 columns", "'34' to '33'")
    run("info karate.emb --ids 1").prints("3 rows, 4 columns")
    put("cut.vec", _text("9 4\n", WORDS, 4))
    run("info cut.vec").says("5 rows", "says 9")
    put("bad.vec", _text("5 4\n", WORDS, 4) + "short 1 2\n")
    run("info bad.vec", 3).says("bad.vec:7")


@by_command("word2vec-header")
def binary(run):
    for end in (b"\n", b""):
        _binary("w2v.bin", WORDS, 4, end)
        run("info w2v.bin").prints("5 rows, 4 columns", "'the' to '#'")
    data = pathlib.Path("w2v.bin").read_bytes()
    pathlib.Path("cut.bin").write_bytes(data[:-3])
    run("info cut.bin", 3).says("truncated", "row 5 of 5")


@by_command("word2vec-header")
def glove(run):
    tokens = ["the", ". . .", "at name@domain.com", '"', *(f"w{i}" for i in range(196))]
    put("glove.txt", _text("", tokens, 30))
    run("info glove.txt").prints("200 rows, 30 columns", "'the' to 'w195'")
    put("classes.txt", _text("", ["setosa", "virginica"] * 6, 8))
    run("info classes.txt").prints("12 rows, 8 columns", "2 classes")


@by_command("word2vec-header")
def whole_numbers(run):
    pathlib.Path("a.bvecs").write_bytes(b"".join(struct.pack("<i3B", 3, r, 255, r * 2) for r in range(5)))
    run("info a.bvecs").prints("5 rows, 3 columns")
    pathlib.Path("a.ivecs").write_bytes(b"".join(struct.pack("<3i", 2, r, -r) for r in range(5)))
    run("info a.ivecs").prints("5 rows, 2 columns")


@by_python("word2vec-header")
def in_python():
    import dunlin

    put("a.txt", _text("", ["a b", "c", '"'], 9))
    points = dunlin.read("a.txt")
    assert list(points.ids) == ["a b", "c", '"'] and points.shape == (3, 9)
    _binary("w2v.bin", WORDS, 4)
    points = dunlin.read("w2v.bin")
    assert list(points.ids) == WORDS and points.values[2].tolist() == [2, 2.25, 2.5, 2.75]
