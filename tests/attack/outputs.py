# SPDX-License-Identifier: Apache-2.0
"""Outputs: one file under two spellings, one that fails among others, closed streams, numbers too large for their option."""

import json
import os
import pathlib
import subprocess

from attack import BAD_FILE, BAD_INPUT, COMMAND, attack, points, refused, run

SHORT = ("--iterations", "20", "--quiet")


@attack
def one_new_file_under_two_spellings_is_refused():
    points("p.csv")
    here = pathlib.Path.cwd()
    os.symlink(".", "self"), os.symlink("made.json", "dangling.json"), os.symlink("dangling.json", "twice.json")
    for one, other in (("z.json", "./z.json"), ("./z.json", "z.json"), ("z.json", f"../{here.name}/z.json"), ("z.json", here / "z.json"), ("z.json", "self/self/z.json"),
                       ("made.json", "dangling.json"), ("twice.json", "made.json"), ("self/twice.json", "dangling.json"), ("z.json", "self//./z.json")):
        refused(run("tsne", "p.csv", "-o", one, "--report", other, *SHORT), BAD_INPUT, "written twice")
        refused(run("tsne", "p.csv", "-o", one, "-o", other, *SHORT), BAD_INPUT, "written twice")
    refused(run("tsne", "p.csv", "-o", "z.json", "--checkpoint", "./z.json", *SHORT), BAD_INPUT, "written twice")
    refused(run("tsne", "p.csv", "-o", "dangling.json", "--checkpoint", "self/made.json", *SHORT), BAD_INPUT, "written twice")
    os.symlink("real.csv", "ck")
    refused(run("kmeans", "p.csv", "-o", "o.csv", "--report", "real.csv.previous", "--checkpoint", "ck", *SHORT), BAD_INPUT, "written twice")
    refused(run("kmeans", "p.csv", "-o", "n.csv", "--centroids", "self/n.csv", *SHORT), BAD_INPUT, "written twice")
    refused(run("tsne", "p.csv", "-o", "self/p.csv", *SHORT), BAD_INPUT, "read and overwritten")
    assert {path.name for path in here.iterdir()} == {"p.csv", "self", "dangling.json", "twice.json", "ck"}


@attack
def one_output_that_fails_keeps_the_others():
    points("p.csv")
    pathlib.Path("g.csv").write_text("0,1\n1,2\n2,0\n2,3\n")
    for full in ("full.csv", "full.npz", "full.png", "full.npy"):
        os.symlink("/dev/full", full)
    for words in (["tsne", "p.csv", *SHORT[:2], "-o", "full.csv", "-o", "KEPT.csv", "--report", "KEPT.json"],
                  ["tsne", "p.csv", *SHORT[:2], "-o", "full.png", "-o", "KEPT.csv", "--state", "KEPT.npz"],
                  ["tsne", "p.csv", *SHORT[:2], "-o", "KEPT.csv", "--state", "full.npz"],
                  ["tsne", "p.csv", *SHORT[:2], "-o", "KEPT.csv", "--report", "full.csv"],
                  ["umap", "p.csv", *SHORT[:2], "-o", "full.csv", "-o", "KEPT.json"],
                  ["kmeans", "p.csv", "--clusters", "3", "-o", "full.csv", "--centroids", "KEPT.csv"],
                  ["kmeans", "p.csv", "--clusters", "3", "-o", "KEPT.csv", "--centroids", "full.csv"],
                  ["kmedoids", "p.csv", "--clusters", "3", "-o", "full.csv", "-o", "KEPT.csv"],
                  ["clusters", "p.csv", "--min-size", "3", "-o", "full.csv", "-o", "KEPT.csv", "--tree", "KEPT.nwk", "--linkage", "KEPT.npy"],
                  ["communities", "g.csv", "-o", "full.csv", "-o", "KEPT.csv", "--tree", "KEPT.json"],
                  ["mixture", "p.csv", "--components", "2", "-o", "full.csv", "--means", "KEPT.csv", "--variances", "KEPT.npy", "--responsibilities", "KEPT.tsv"],
                  ["neighbors", "p.csv", "-k", "3", "-o", "full.csv", "-o", "KEPT.csv"],
                  ["mds", "p.csv", "-o", "full.csv", "-o", "KEPT.csv", "--per-point", "full.npy", "--shepard", "KEPT.png"],
                  ["layout", "g.csv", "-o", "full.csv", "-o", "KEPT.csv"],
                  ["score", "m.csv", "--of", "p.csv", "--curve", "full.csv", "--per-point", "KEPT.csv"],
                  ["density", "m.csv", "-o", "full.npy", "--peaks", "KEPT.csv"],
                  ["draw", "m.csv", "-o", "full.png", "-o", "KEPT.png"]):
        if not os.path.exists("m.csv") and words[0] in ("score", "density", "draw"):
            assert run("tsne", "p.csv", *SHORT, "-o", "m.csv").returncode == 0
        kept = [word for word in words if word.startswith("KEPT")]
        done = run(*words)
        refused(done, BAD_FILE, "full.")
        for file in kept:
            assert os.path.getsize(file) > 0, (words, file)
            assert file.endswith("json") or f"wrote {file}".encode() in done.stdout, (words, done.stdout)
            os.remove(file)
    done = run("kmeans", "p.csv", "-o", "full.csv", "--centroids", "full.npy", "--report", "r.json", "--clusters", "3")
    refused(done, BAD_FILE, "full.csv")
    assert b"warning" in done.stderr and b"full.npy" in done.stderr, done.stderr
    json.loads(pathlib.Path("r.json").read_text())


@attack
def a_closed_standard_output_is_as_a_full_one():
    points("p.csv")
    for words in ("info p.csv", "score p.csv --of p.csv", "--help", "info p.csv 2>&-"):
        done = subprocess.run(["sh", "-c", f'"$0" {words} >&-', COMMAND], stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == BAD_FILE, (words, done.returncode)
        assert "2>&-" in words or b"standard output" in done.stderr, done.stderr
    done = subprocess.run(["sh", "-c", '"$0" tsne p.csv --iterations 20 --quiet -o out.csv >&-', COMMAND], timeout=60)
    assert done.returncode == 0 and pathlib.Path("out.csv").read_text().startswith("x,y\n")


@attack
def numbers_beyond_single_precision_are_said_as_given():
    points("p.csv")
    for flag in ("--perplexity", "--exaggeration", "--late-exaggeration", "--learning-rate"):
        for number in ("1e308", "1e39", "1e400"):
            refused(run("tsne", "p.csv", flag, number), BAD_INPUT, f"{flag}: it is {number} and must be at most 3.4028235e+38")
        refused(run("tsne", "p.csv", flag, "inf"), BAD_INPUT, "it is inf and must be")
    refused(run("umap", "p.csv", "--spread", "1e-60"), BAD_INPUT, "it is 1e-60 and must be above 0 in single precision")


@attack
def an_empty_checkpoint_is_damaged():
    points("p.csv")
    words = ("tsne", "p.csv", "-o", "o.csv", "--checkpoint", "ck")
    pathlib.Path("ck").touch()
    done = run(*words, *SHORT[:2], "--resume")
    assert done.returncode == 0 and b"it is empty, and there is none before it" in done.stderr, done.stderr
    os.remove("ck")
    assert run(*words, "--iterations", "300", "--quiet", "--checkpoint-every", "0.01").returncode == 0
    os.rename("ck", "ck.previous"), pathlib.Path("ck").touch()
    done = run(*words, "--iterations", "300", "--resume")
    assert done.returncode == 0 and b"it is empty; the one before it" in done.stderr, done.stderr
