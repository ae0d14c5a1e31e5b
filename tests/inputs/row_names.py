# SPDX-License-Identifier: Apache-2.0
"""Names of rows and columns that are whole numbers."""

from harness import by_command, put, rows


@by_command("row-names")
def whole_numbers_beside_a_corner_are_names(run):
    for corner in ("", "sample", "gene", '""', "cell_id"):
        table = put("t.csv", f"{corner},7157,672,675\ns1,9,4,3\ns2,1,6,5\ns3,2,2,8\n")
        run(["info", table]).prints("3 rows, 3 columns", "'s1' to 's3'").says("first row", "names of the columns")
    table = put("t.csv", ",2,1,0\nq,9.5,.4,.3\nr,9.1,.5,.2\n")
    run(["info", table]).prints("2 rows, 3 columns", "'q' to 'r'").says("names of the columns")
    # Names of ids above words that repeat are values
    run(["info", put("t.csv", "sample,3,4\nx,5,6\nx,7,8\n")]).prints("3 rows, 2 columns")


@by_command("row-names")
def columns_that_are_counted_give_a_line(run):
    for text in ("0,1,2\n5,6,0.5\n7,8,0.25\n", "0,1,2\n5,3,0\n4,3,1\n"):
        run(["info", put("t.csv", text), "--holds", "points"]).prints("2 rows").says("first row")


@by_command("row-names")
def an_empty_id_is_an_error(run):
    run(["info", put("t.csv", "id,x,y\na,1,2\n,3,4\n")], None).says("t.csv:3", "row 2", "id is empty")
    points = put("p.csv", "id,x,y\na,1,2\nb,3,4\n")
    run(["info", points, "--labels", put("l.csv", "id,label\na,u\n,v\n")], None).says("l.csv:3", "id is empty")


@by_command("row-names")
def whole_numbers_under_a_title_of_ids_are_ids(run):
    for title in ("sample_id", "index", "cell", "barcode", "key", "row", "uid", "obs", "patient_id", "record", "sample",
                  "gene_id", "ID2", "case", "sampleId", "Patient ID"):
        points = put("p.csv", f"{title},x,y\n17,1,2\n12,3,4\n40,5,7\n")
        run(["info", points]).prints("3 rows, 2 columns", "'17' to '40'").says(f"column 1 '{title}' as ids")
        labels = put("l.csv", f"{title},kind\n40,c\n17,a\n12,b\n")
        run(["info", points, "--labels", labels + ":kind"]).says(f"'{title}' as ids")
        run(["tsne", points, "--labels", labels, "-o", "o.csv", "--iterations", "0", "--perplexity", "1",
             "--exaggerated-iterations", "0"])
        assert [row["label"] for row in rows("o.csv")] == ["a", "b", "c"]


@by_command("row-names")
def whole_numbers_that_repeat_or_have_another_title_are_values(run):
    for table in ("size,x,y\n17,1,2\n12,3,4\n40,5,7\n", "sample,x,y\n17,1,2\n12,3,4\n17,5,7\n"):
        run(["info", put("p.csv", table)]).prints("3 rows, 3 columns")
    many = "".join(f"{r},{r % 7},1\n" for r in range(3000))
    run(["info", put("p.csv", f"sample,x,y\n{many}1500,2,2\n")]).prints("3001 rows, 3 columns")


@by_command("row-names")
def labels_by_order_give_a_line(run):
    points = put("p.csv", "id,x,y\n1,1,2\n2,3,4\n3,5,7\n")
    run(["info", points, "--labels", put("l.csv", "v,label\n3,c\n1,a\n2,a\n")]).says("by order")
    points = put("p.csv", "id,x,y\n0,1,2\n1,3,4\n2,5,7\n")
    run(["info", points, "--labels", put("l.csv", "id,label\n1,a\n2,b\n3,c\n")]).says("by order", "count their rows")


@by_command("row-names")
def edges_below_numbers_of_columns(run):
    for edges, count in (("0,1,2\n5,6,0.5\n6,7,0.25\n", 2), ("0,1\na,b\nb,c\n", 2), ("0,1\n5,6\n6,7\n7,8\n", 3)):
        run(["info", put("g.csv", edges), "--holds", "graph"]).prints(f"{count} edges").says("first row")
    for edges, count in (("0,1\n2,3\n4,5\n", 3), ("0,1\n1,5\n5,6\n", 3)):
        run(["info", put("g.csv", edges), "--holds", "graph"]).prints(f"{count} edges")
