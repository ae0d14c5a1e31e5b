# SPDX-License-Identifier: Apache-2.0
"""Lists of edges that look like something else, by the command."""

from graph_files import CPU, counts, weights
from harness import by_command, put


@by_command("edge-header")
def numbers_are_no_names_of_columns(run):
    for text in ("001,002\n002,003\n003,010\n", "00501\t00502\n00502\t00503\n00503\t1\n"):
        assert counts(run, put("zeros.csv", text), "--holds graph") == (4, 3), text
    assert counts(run, put("floats.csv", "source,target\n1,2.0\n2,3.0\n3,4.0\n")) == (4, 3)
    run("info floats.csv").says("2.0 is 2")


@by_command("edge-header")
def relations_are_no_vertices(run):
    for name, text in (("arrow.txt", "1 -> 2\n2 -> 3\n3 -> 1\n"), ("kinds.csv", "1,friend,2\n2,friend,3\n1,family,3\n")):
        run(f"layout {put(name, text)} -o o.csv {CPU}", None).says(f"{name}:1", "relation", "--weights-from 3")
    for head in ("head,relation,tail", "subject,predicate,object", "h,r,t"):
        assert counts(run, put("triples.csv", head + "\n1,friend,2\n2,friend,3\n"), "--holds graph") == (3, 2), head


@by_command("edge-header")
def rows_that_are_no_edges_are_named(run):
    put("joined.csv", "source,target\n1,2\n2,3\nsource,target\n3,4\n")
    run(f"layout joined.csv -o o.csv {CPU}", None).says("joined.csv:4", "--header no")
    put("missing.csv", "source,target\nann,bob\nbob,NA\n")
    run(f"layout missing.csv -o o.csv {CPU}", None).says("missing.csv:3", "'NA'", "quote")
    put("tags.csv", "source,target\n#covid,#vaccine\n#vaccine,health\nhealth,#covid\n")
    run(f"layout tags.csv -o o.csv {CPU}").says("comments: 2")
    put("kinds.csv", "author,paper\n1,1\n1,2\n2,1\n")
    run(f"layout kinds.csv -o o.csv {CPU}").says("'author' and 'paper'")


@by_command("edge-header")
def weights_are_said_to_be_what_they_are(run):
    assert weights(run, put("commas.txt", "a b 0,5\nb c 1,5\n"), "--holds graph") == "0.5 to 1.5"
    put("points.csv", "x,y\n" + "".join(f"{i},{i * i}\n" for i in range(5)))
    put("near.csv", "source,target,similarity\n" + "".join(f"{i},{(i + 1) % 5},0.5\n{i},{(i + 2) % 5},0.2\n" for i in range(5)))
    run(f"tsne points.csv --neighbors near.csv --perplexity 1 --iterations 5 -o o.csv {CPU}").says("'similarity'", "farther")
