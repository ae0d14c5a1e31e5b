# SPDX-License-Identifier: Apache-2.0
"""Tables: columns, headers, texts."""

import pathlib

from harness import by_command, put, rows


def _table(cells, header="v,x,y", delimiter=","):
    """A table whose first column has these cells, beside two columns of numbers."""
    lines = [header] + [delimiter.join([cell, f"0.{r + 1}", f"1.{r * 7 % 10}5"]) for r, cell in enumerate(cells)]
    return put("t.csv", "\n".join(lines) + "\n")


@by_command("number-like-words")
def a_column_like_numbers_is_an_error_with_its_first_cell(run):
    for name, cell, column in (("pctm", "9%", "share"), ("curm", "$29.39", "price"), ("dm", "8.848D-01", "'e'")):
        run(f"info {name}.csv", None).says(f"{name}.csv:2", "row 1", column, cell, "looks like numbers")


@by_command("number-like-words")
def every_way_to_write_a_number_that_is_not_read(run):
    for cells in (
        ("5 %", "7 %", "9.5 %"),
        ("-$5", "$7", "($9)"),
        ("5 €", "7 €", "9 €"),
        ("USD 5", "USD 7", "USD 9"),
        ("1 100 000", "2 300 000", "10 000"),
        ("1_234", "2_345", "3_456"),
        ("12 kg", "13 kg", "14.5 kg"),
        ("12kg", "900g", "14kg"),
        ("3 apples", "5 apples", "9 apples"),
        ("(5)", "(7)", "(9)"),
        ("<5", "7.5", "<9"),
        ("−5", "−7", "−9"),
        ("0x1F", "0x20", "0xFF"),
        ("1.5D+03", "2.5D+02", "3D-1"),
        ("1’234", "2’345", "3’456"),
        ("5 ± 1", "7 ± 2", "9 ± 1"),
        ("5k", "1.2M", "7k"),
        ("5.1*", "7.2**", "9"),
        ("1/5", "2/5", "3/5"),
        ("0-5", "5-10", "10-15"),
        ("[0.395]", "[0.5]", "[1.25]"),
        ('"(2.3, -0.6)"', '"(1, 2)"', '"(0, 0.5)"'),
        ("0°30'", "1°15'", "2°00'"),
        ("１２", "３４", "５６"),
        ("١٢", "٣٤", "٥٦"),
    ):
        run(["info", _table(cells)], None).says("column 1 'v'", "looks like numbers")
        # Also as the labels would be, where cells repeat
        run(["info", _table([*cells, *cells])], None).says("column 1 'v'", "looks like numbers")


@by_command("number-like-words")
def such_a_column_may_be_named(run):
    kilograms = _table(["12 kg", "13 kg", "14 kg"])
    run(f"info {kilograms} --ids v").prints("2 columns", "'12 kg' to '14 kg'")
    run(f"info {kilograms} --labels 1").prints("3 classes")
    run(["info", _table(["5%", "7%", "5%"], "label,x,y")]).prints("2 classes")


@by_command("number-like-words")
def names_with_digits_stay_words(run):
    for cells in (("S-1", "S-2", "S-3"), ("12 Main St", "7 High St", "9 Low St"), ("1-1", "2-1", "3-1"),
                  ("1D66", "4HHB", "2ABC"), ("12A", "12B", "13C"), ("<18", "18-65", "65+"), ("chr1", "chr2", "chrX")):
        run(["info", _table(cells)]).prints("2 columns", "ids: '")


@by_command("number-like-words")
def times_that_all_differ_are_ids_and_a_line_says_so(run):
    for cells in (("2020-01-01", "2020-01-02", "2020-01-03"), ("10:30", "10:31", "10:32"), ("0:05", "0:10", "1:00"),
                  ("5 May 2001", "6 May 2001", "7 May 2001")):
        run(["info", _table(cells)]).prints(f"ids: '{cells[0]}'").says("column 1 'v' as ids", cells[0])
        run(["info", _table(cells * 2)], None).says("t.csv:2", "row 1", "column 1 'v'", cells[0], "name the column as ids")
        run(["info", _table(cells), "--ids", "v"]).prints("2 columns", f"ids: '{cells[0]}'")
        run(["info", _table(cells, "id,x,y")]).prints("2 columns", f"ids: '{cells[0]}'")


@by_command("delimiter")
def blanks_in_cells_are_text_where_another_mark_separates(run):
    for name, text in (("t.tsv", "a\tb\n1 000\t2\n2 000\t5\n"), ("t.csv", "a,b\n1 000,2\n2 000,5\n"),
                       ("t.txt", "a;b\n1 000;2\n2 000;5\n")):
        run(["info", put(name, text)], None).says("1 000", "thousands")
    run(["info", put("t.csv", "name,x,y\nroute 1,2,3\nroute 2,4,5\n")]).prints("2 rows, 2 columns", "'route 1'")


@by_command("delimiter")
def blanks_still_separate_columns(run):
    for name, text in (("t.txt", "1,5 2,5\n3,5 4,25\n"), ("t.csv", "1,5 2,5\n3,5 4,25\n"),
                       ("t.txt", "x y\n1,5 2\n3,5 4\n")):
        run(["info", put(name, text)]).prints("2 rows, 2 columns").says("decimal commas")
    run(["info", put("t.txt", "cat\t0.7 0.2 0.3\ndog\t0.4 0.5 0.75\n")]).prints("2 rows, 3 columns", "'cat'")
    run(["info", put("t.txt", "Paris,FR 0.1 0.2\nRome,IT 0.4 0.5\n")]).prints("2 rows, 2 columns", "'Paris,FR'")


@by_command("number-like-words")
def rows_outside_the_sample_count(run):
    cells = ["word"] * 500 + [f"{r}.5%" for r in range(5000)]
    run(["info", _table(cells)], None).says("t.csv:502", "row 501", "0.5%")
    run(["info", _table(["ND"] * 60 + [f"{r}.5" for r in range(50)])], None).says("'ND'", "looks like numbers")


@by_command("number-like-words")
def words_that_are_left_out_are_said(run):
    put("t.csv", "kind,city,x\na,Rome,1\nb,Oslo,2\na,Rome,3\n")
    run("info t.csv --labels kind").prints("1 columns", "2 classes").says("without", "2 'city'")


@by_command("sep-line")
def a_line_names_the_delimiter(run):
    run("info sep.csv").prints("3 rows, 3 columns")
    for mark in (",", ";", "\t", "|"):
        for head in (f"sep={mark}", f'"sep={mark}"', f"SEP={mark}\r"):
            text = f"{head}\n" + "".join(mark.join(row) + "\n" for row in ("123", "456", "789"))
            for bom in ("", "\ufeff"):
                run(["info", put("t.csv", bom + text)]).prints("3 rows, 3 columns", "ids: none")
    run(["info", put("t.csv", "sep=;\n1,5;2,5\n3,25;4\n")]).prints("2 rows, 2 columns").says("decimal commas")
    run(["info", put("t.csv", "sep=^\n1^2\n3^4\n")], None).says("'^'", "delimiter")
    run(["info", put("t.csv", "sep=;\n1;2\n3;x\n")], None).says("t.csv:3")


@by_command("sep-line")
def pipes_separate_columns(run):
    run(["info", put("t.csv", "x|y|z\n1|2|3\n4|5|6\n7|8|10\n")]).prints("3 rows, 3 columns")
    run(["info", put("t.csv", "1 | 2 | 3\n4 | 5 | 6\n")]).prints("2 rows, 3 columns")
    run(["info", put("t.csv", "a|1,5|2,5\nb|3,5|4,5\n")]).prints("2 rows, 2 columns").says("pipes")
    run(["info", put("t.csv", "1|2,3,4\n1|3,4,5\n2|5,7,7\n")]).prints("2 columns")
    run(["info", put("t.csv", "a|b,1,2\nc|d,3,4\n")]).prints("2 rows, 2 columns", "'a|b' to 'c|d'")


@by_command("first-row")
def years_are_a_header_and_a_line_says_so(run):
    put("t.csv", "country,1990,1991,1992\nChad,5.1,5.2,5.3\nPeru,7.1,7.2,7.3\nFiji,1.5,1.2,1.9\n")
    run("info t.csv").prints("3 rows, 3 columns", "'Chad' to 'Fiji'").says("first row (country, 1990, 1991", "names")
    for text, printed, said in (
        ("1990,2000,2010\n25,30,41\n17,22,5\n", "2 rows, 3 columns", "(1990"),
        ("400.5,401,401.5,402\n0.1,0.2,0.1,0.5\n0.2,0.3,0.4,0.5\n", "2 rows, 4 columns", "(400.5"),
        ("x,y,1990\n1,2,3\n4,5,7\n", "2 rows, 3 columns", "(x, y, 1990)"),
    ):
        run(["info", put("t.csv", text)]).prints(printed).says(f"first row {said}")


@by_command("first-row")
def where_it_could_be_either_a_line_says_what_was_taken(run):
    for text, printed, said in (
        ("1,2,3,4\n2,1,4,3\n4,3,1,2\n", "3 rows, 4 columns", "(1, 2, 3, 4)"),
        ("7,5\n0.5,1.5\n2.5,3.25\n4.5,6.25\n", "4 rows, 2 columns", "(7, 5)"),
    ):
        run(["info", put("t.csv", text)]).prints(printed).says(f"first row {said} as values")


@by_command("first-row")
def plain_first_rows_need_no_line(run):
    for text, printed in (
        ("1,2,3\n4,5,6\n7,8,9\n", "3 rows, 3 columns"),
        ("x,y\n1,2\n3,4\n", "2 rows, 2 columns"),
        ("5,3\n5,4\n6,1.5\n", "3 rows, 2 columns"),
        ("1995,2000,2001\n1990,2010,2015\n", "2 rows, 3 columns"),
        ('\ufeff"x","y"\n1,2,\n', "1"),
    ):
        ran = run(["info", put("t.csv", text)], None if printed == "1" else 0)
        assert printed == "1" or (printed in ran.out and "first row" not in ran.err), (text, ran.out, ran.err)


def _kmedoids(run, name, flags="", clusters=2):
    ran = run(f"kmedoids {name} --metric edit --clusters {clusters} --device cpu -o out.csv {flags}")
    return {row.get("id", str(r)): row["cluster"] for r, row in enumerate(rows("out.csv"))}, ran


def _no_strings(run, name, *words):
    """Checks that a file is refused as strings, with these words."""
    run(f"kmedoids {name} --metric edit --clusters 1 -o out.csv", None).says(*words)


@by_command("out-strings-from-tables")
def strings_are_a_column_of_a_table(run):
    clusters, ran = _kmedoids(run, "words.csv")
    assert list(clusters) == ["S-000001", "S-000002", "S-999999", "S-888888", "S-777777"]
    assert clusters["S-000001"] == clusters["S-000002"] == clusters["S-999999"] != clusters["S-888888"]
    ran.says("strings of column 2 'word'")
    put("more.tsv", "key\tcity\tnote\tspecies\nA\tcat\tx\tf\nB\tcats\ty\tf\nC\tdog\tz\td\n")
    run("kmedoids more.tsv --metric edit --clusters 2 -o out.csv", None).says("city", "note", "--strings-from")
    clusters, ran = _kmedoids(run, "more.tsv", "--strings-from city")
    assert clusters["A"] == clusters["B"] != clusters["C"]
    ran.says("without column 3 'note'")
    clusters, _ = _kmedoids(run, "more.tsv", "--strings-from 2 --ids note")
    assert list(clusters) == ["x", "y", "z"]
    run("kmedoids more.tsv --metric edit --clusters 2 --strings-from 9 -o out.csv", None).says("'9'", "--strings-from")


@by_command("out-strings-from-tables")
def fasta_is_read_whole(run):
    clusters, _ = _kmedoids(run, "f.fasta")
    assert list(clusters) == ["a", "b", "c"] and clusters["a"] == clusters["b"] != clusters["c"]
    put("f.txt", ">a first\r\nACGT\r\n\r\nACGT\r\n>b\r\nACGTACGA\r\n>c\r\nTTTTTTTT")
    clusters, ran = _kmedoids(run, "f.txt")
    assert list(clusters) == ["a", "b", "c"]
    ran.says("FASTA")
    for text, said in (("ACGT\n>a\nAC\n", "f.fasta:1"), (">a\n>b\nAC\n", "f.fasta:1"), (">\nAC\n", "f.fasta:1"), (">a\n", "no sequence")):
        _no_strings(run, put("f.fasta", text), said)
    _no_strings(run, put("r.fastq", "@a\nAC\n+\nII\n"), "FASTQ")


@by_command("out-strings-from-tables")
def a_plain_text_is_an_item_a_line(run):
    put("w.txt", "cat\ncat, black\ndog\n\n")
    assert list(_kmedoids(run, "w.txt")[0]) == ["cat", "cat, black", "dog"]
    _no_strings(run, put("w.txt", "cat\ncat, black\n\ndog\n"), "w.txt:3", "empty")
    _no_strings(run, put("w.json", '["cat", "dog"]\n'), "w.json", "JSON")
    _no_strings(run, put("w.aln", "CLUSTAL W\n\na ACGT\nb ACGA\n"), "w.aln", "CLUSTAL")
    put("w.csv", "word\ncat\ncats\ndog\n")
    assert list(_kmedoids(run, "w.csv")[0]) == ["cat", "cats", "dog"]
    put("w.csv", "cat\ncats\ndog\n")
    clusters, ran = _kmedoids(run, "w.csv")
    assert list(clusters) == ["cat", "cats", "dog"]
    ran.says("line per item", "'cat'")
    _no_strings(run, put("w.csv", 'id,word\na,"cat, black"\nb,"say ""hi"""\nc,\n'), "w.csv:4", "empty")


@by_command("out-strings-cr-lines")
def lines_end_with_cr_lf_or_both(run):
    assert list(_kmedoids(run, "mac.txt", clusters=4)[0]) == ["cat", "cats", "dog", "dogs"]
    pathlib.Path("mixed.txt").write_bytes(b"cat\r\ncats\rdog\ndogs")
    assert list(_kmedoids(run, "mixed.txt", clusters=4)[0]) == ["cat", "cats", "dog", "dogs"]
    pathlib.Path("t.csv").write_bytes(b"id,word\ra,cat\rb,cats\rc,dog\r")
    assert list(_kmedoids(run, "t.csv")[0]) == ["a", "b", "c"]


@by_command("comments")
def a_comment_above_rows_names_their_columns(run):
    run(["info", put("h.csv", "#id,a,b\nu,1,2\nv,2,5\nw,3,3\n")]).says("comment 'id, a, b' as names of the columns").prints(
        "2 columns", "'u' to 'w'"
    )
    run(["info", put("h.txt", "# made today\n# x y label\n1 2 a\n2 5 b\n3 3 a\n")]).says("comment 'x, y, label'").prints(
        "2 classes"
    )
    own = run(["info", put("own.csv", "# a,b\nx,y\n1,2\n2,5\n")])  # the rows have names of their own
    assert "comment" not in own.err, own.err


@by_command("comments")
def lines_that_may_be_rows_are_said(run):
    marked = "#1,2,3,1\n#2,3,4,5\n3,1,2,5\n4,2,2,6\n"
    run(["info", put("m.csv", marked)]).says("without 2 lines that begin with '#' and may be rows").prints("2 rows")
    run(["info", put("all.csv", "#1,2,3,1\n#2,3,4,5\n")], None).says("only lines that begin with '#'")


@by_command("truths")
def truths_as_labels_are_said(run):
    run(["info", put("t.csv", "a,b,f\n1,2,True\n2,5,False\n3,3,True\n")]).says("column 3 'f' as labels", "1 and 0")
    named = run(["info", put("n.csv", "a,b,label\n1,2,True\n2,5,False\n3,3,True\n")])
    assert "1 and 0" not in named.err, named.err


@by_command("ids-twice")
def an_id_twice_in_the_first_input_is_said(run):
    points = put("p.csv", "id,x,y\na,1,2\nb,2,3\na,4,4\nc,3,1.5\n")
    labels = put("l.csv", "id,label\nb,u\na,v\nc,u\n")
    run(["score", points, "--of", points, "--labels", labels]).says("1 row of p.csv has the id of an earlier one")
