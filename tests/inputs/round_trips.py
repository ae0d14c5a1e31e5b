# SPDX-License-Identifier: Apache-2.0
"""What is written is read back, here and by other programs: odd ids, values and labels in maps."""

import csv

from harness import by_command, by_python, labels_of, report, rows, same_scores

ODD_IDS = ["001", "1e5", "NA", "a,b", 'say "hi"', " lead", "trail ", "tab\there", "two\nlines", "ä€😀", "=1+1", "-", "0x1F", "C:\\", "#x", "%y"]
ODD_LABELS = ["x,y", 'q"q', "ä", "2.50", "a\tb", "'"]


def odd_points(path="odd.csv"):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "a", "b", "label"])
        for i, name in enumerate(ODD_IDS):
            writer.writerow([name, i * 1.5, (i * 7) % 5, ODD_LABELS[i % len(ODD_LABELS)]])


def label_of(i):
    return ODD_LABELS[i % len(ODD_LABELS)]


@by_command("round-trips")
def maps(run):
    """A map of odd ids and labels has them again after it was read, in any format."""
    odd_points()
    run("mds odd.csv -o m.csv -o m.tsv -o m.json")
    for name in ("m.csv", "m.tsv"):
        assert [row["id"] for row in rows(name)] == ODD_IDS
        assert labels_of(name) == [label_of(i) for i in range(len(ODD_IDS))]
    whole = report("m.json")
    assert whole["ids"] == ODD_IDS and whole["labels"] == [label_of(i) for i in range(len(ODD_IDS))]
    for name in ("m.csv", "m.tsv", "m.json"):
        # The points in another order: only by id do the scores stay
        run(f"score {name} --of odd.csv --report s.json")
        lines = list(csv.reader(open("odd.csv", newline="", encoding="utf-8")))
        with open("turned.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([lines[0], *reversed(lines[1:])])
        run(f"score {name} --of turned.csv --report t.json")
        same_scores(report("s.json")["quality"], report("t.json")["quality"])
    run("kmeans odd.csv --clusters 2 -o c.csv")
    assert [row["id"] for row in rows("c.csv")] == ODD_IDS
    run("neighbors odd.csv -k 2 -o nn.csv")
    assert [row["source_id"] for row in rows("nn.csv")][::2] == ODD_IDS
    run("tsne odd.csv --perplexity 2 --neighbors nn.csv -o t.csv --iterations 5 --exaggerated-iterations 0")


@by_python("round-trips")
def tables_of_pandas():
    """pandas reads the ids and labels of a map as they were."""
    import dunlin
    import pandas as pd

    odd_points()
    points = dunlin.read("odd.csv")
    assert list(points.ids) == ODD_IDS
    result = dunlin.mds(points.values, n_components=2)
    names = [label_of(i) for i in range(len(ODD_IDS))]
    for name, mark in (("m.csv", ","), ("m.tsv", "\t")):
        dunlin.write(name, result, ids=ODD_IDS, labels=names)
        table = pd.read_csv(name, sep=mark, dtype=str, keep_default_na=False)
        assert list(table["id"]) == ODD_IDS and list(table["label"]) == names
        back = dunlin.read_map(name) if hasattr(dunlin, "read_map") else dunlin.read(name)
        assert list(back.ids) == ODD_IDS
    table.to_csv("by_pandas.csv", index=False)  # blanks around fields that are not quoted are no part of them here
    assert list(dunlin.read("by_pandas.csv").ids) == [name.strip(" ") for name in ODD_IDS]
