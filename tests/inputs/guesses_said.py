# SPDX-License-Identifier: Apache-2.0
"""Tables whose ids, labels, decimals and axes are guessed: the guess is right, and a line says it."""

from harness import by_command, put, rows

SQUARE = "0,1,2", "1,0,3", "2,3,0"


def _square(names, columns):
    return put("d.csv", columns + "\n" + "".join(f"{name},{row}\n" for name, row in zip(names, SQUARE)))


@by_command("guesses-said")
def items_of_a_square_table_have_the_names_of_its_rows(run):
    cities = ("Paris", "Rome", "Oslo")
    labels = put("l.csv", "id,label\nOslo,n\nParis,f\nRome,i\n")
    for columns in (",0,1,2", ",1,2,3", ",V1,V2,V3", ",X1,X2,X3", ",Paris,Rome,Oslo", ",,,"):
        run(["mds", _square(cities, columns), "--labels", labels, "-o", "o.csv"])
        assert [(row["id"], row["label"]) for row in rows("o.csv")] == [("Paris", "f"), ("Rome", "i"), ("Oslo", "n")], columns
        run(["kmedoids", "d.csv", "--clusters", "2", "-o", "o.csv"])
        assert [row["id"] for row in rows("o.csv")] == list(cities), columns
    run(["mds", _square(("1", "2", "3"), ",a,b,c"), "-o", "o.csv"])
    assert [row["id"] for row in rows("o.csv")] == ["a", "b", "c"]
    run(["mds", _square(("New York", "10", "a-b"), ",New.York,X10,a.b"), "-o", "o.csv"])
    assert [row["id"] for row in rows("o.csv")] == ["New York", "10", "a-b"]


@by_command("guesses-said")
def rows_and_columns_with_other_names_are_an_error(run):
    for names, columns in ((("a", "b", "d"), ",a,b,c"), (("A", "b", "c"), ",a,b,c"), (("p", "q", "r"), ",a,b,c")):
        run(["mds", _square(names, columns), "-o", "o.csv"], None).says("give rows and columns the same names")
    labeled = put("e.csv", "id,c,a,b,class\na,2,0,1,x\nb,3,1,0,y\nc,0,2,3,x\n")
    run(["mds", labeled, "-o", "o.csv"]).says("in the order of its rows")
    other = put("e.csv", "id,a,b,d,class\na,0,1,2,x\nb,1,0,3,y\nc,2,3,0,x\n")
    run(["mds", other, "-o", "o.csv"], None).says("row 3 is called 'c' and column 3 'd'")


@by_command("guesses-said")
def a_column_of_decimal_commas_is_one_column(run):
    heights = put("h.csv", "height\n1,75\n1,82\n1,68\n1,91\n1,80\n")
    run(["kmeans", heights, "--clusters", "2", "--centroids", "c.csv", "-o", "o.csv"]).says("decimal commas in one column")
    assert all(1.6 < float(row["height"]) < 2 for row in rows("c.csv")), rows("c.csv")
    run(["info", heights]).prints("5 rows, 1 columns", "ids: none")
    points = put("p.csv", "x,y\n1,2\n3,4\n5,6\n7,9\n")
    weights = put("w.csv", "weight\n1,5\n2,25\n1,75\n3,5\n")
    run(["kmeans", points, "--clusters", "2", "--weights", weights, "-o", "o.csv"]).says("decimal commas in one column")
    run(["info", put("m.csv", "a,b\n1,75,60\n1,82,71\n")], None).says("1 is in several", "decimal")
    run(["info", put("t.csv", "a,b\n1,75,60\n2,82,71\n")]).prints("ids: '1' to '2'")
    run(["info", put("r.csv", '"x"\n"1",5\n"2",7\n')]).prints("ids: '1' to '2'")
    run(["info", put("r.csv", "x\n1,5\n2,7\n")]).prints("ids: '1' to '2'").says("could be decimals", "--decimal")
    run(["info", put("n.csv", "pop\n1,234\n1,500\n2,100\n")], None).says("decimals or thousands")


@by_command("guesses-said")
def whole_numbers_that_name_rows_are_ids(run):
    titles = ("CustomerID", "EntrezID", "OBJECTID", "FID", "rowid", "ID number", "No.", "Serial No", "Obs.", "rowname", "Column1",
              "X", "...1", "Unnamed: 0.1", "S.No", "case_no")
    for delimiter in ",;\t|":
        for title in titles:
            text = f"{title},b,c\n3,1.5,2\n4,2.5,7\n9,4.5,1\n".replace(",", delimiter)
            run(["info", put("t.txt", text)]).prints("3 rows, 2 columns", "'3' to '9'").says("as ids")
    run(["info", put("t.csv", "Customer,Genre,Age\n0001,M,19\n0002,F,21\n0003,M,20\n")]).prints("'0001' to '0003'").says("as ids")
    run(["info", put("t.csv", "0001,1.5,19\n0002,2.5,21\n0003,1.5,20\n")]).prints("3 rows, 2 columns").says("as ids")
    run(["info", put("t.csv", "Unnamed: 0.1,Unnamed: 0,a,b\n0,0,5,1\n1,1,7,2\n2,2,6,1\n")]).prints("3 rows, 2 columns")
    run(["info", put("t.csv", ",CustomerID,a,b\n0,71,5,1\n1,17,7,2\n2,22,6,1\n")]).prints("2 columns", "'71' to '22'")
    # Coordinates stay
    run(["info", put("t.csv", "X,Y\n1,5\n2,7\n4,1\n")]).prints("3 rows, 2 columns", "ids: none")
    run(["info", put("t.csv", "Column1,Column2\n1,5\n2,7\n4,1\n")]).prints("3 rows, 2 columns", "ids: none")
    run(["info", put("t.csv", "zip,a\n01234,5\n90210,7\n01234,1\n")]).prints("2 columns").says("begin with zeros", "1234")
    run(["info", put("t.csv", "a,CustomerID,b\n1,5,1\n1,7,2\n2,6,5\n")]).prints("3 columns").says("'CustomerID' as a coordinate")


@by_command("guesses-said")
def ids_that_repeat_give_a_line(run):
    body = "".join(f"{i},{i % 3}.5,{i % 4}\n" for i in range(100, 110))
    run(["info", put("t.csv", "patient_id,b,c\n" + body)]).prints("10 rows, 2 columns").says("as ids")
    run(["info", put("t.csv", "patient_id,b,c\n" + body + "103,1,2\n")]).prints("11 rows, 3 columns").says(
        "column 1 'patient_id' as numbers, not as ids", "103 is in several rows", "--ids")
    body = "".join(f"n{i},{i % 3}.5,{i % 4}\n" for i in range(100, 110))
    run(["info", put("t.csv", "name,b,c\n" + body + "n103,1,2\n")]).prints("labels: none", "'n100' to 'n103'").says(
        "as ids, although 'n103' is in several rows")
    run(["info", put("t.csv", "city,b,c\n" + body + "n103,1,2\n")]).says("as labels, not as ids", "'n103'")
    run(["info", put("t.csv", "sample,b,c\nu,1,2\nv,2,3\nu,3,4\nv,5,1\n")]).says("as labels, not as ids")


@by_command("guesses-said")
def signs_in_the_place_of_labels_are_none(run):
    for text in ("a,b,class\n1,2,x\n2,1,?\n3,5,y\n4,4,-\n5,1,.\n", "a,b,kind\n1,2,x\n2,1,?\n3,5,y\n4,4,--\n5,1,x\n"):
        run(["info", put("t.csv", text)]).prints("2 classes").says("rows without a label")
    signs = put("t.csv", "a,b,class\n1,2,+\n2,1,-\n3,5,+\n4,4,-\n5,1,?\n")
    run(["info", signs]).prints("2 classes").says("1 of 5 rows without a label")
    points = put("p.csv", "a,b\n1,2\n2,1\n3,5\n")
    run(["info", points, "--labels", put("l.txt", "x\n?\ny\n")]).prints("2 classes").says("1 of 3 rows without a label")


@by_command("guesses-said")
def an_index_is_no_axis_of_a_map(run):
    for delimiter in (",", "\t", " "):
        table = put("m.txt", "0,0.5,1.5\n1,3.25,-2\n2,8.5,4\n3,1,1\n".replace(",", delimiter))
        run(["density", table, "-o", "d.npy"]).says("column 1 as ids")
        run(["draw", table, "-o", "d.svg"]).says("column 1 as ids")
    points = put("p.csv", "a,b,c\n1,2,3\n4,5,7\n7,8,8\n0,1,1\n")
    run(["score", "m.txt", "--of", points]).says("column 1 as ids")
    run(["draw", put("m.csv", "5,0.5,1.5\n1,3.25,-2\n2,8.5,4\n"), "-o", "d.svg"]).says("whole numbers alone")


@by_command("guesses-said")
def a_table_of_strings_needs_no_extension(run):
    text = "id,word\n1,kitten\n2,sitting\n3,mitten\n"
    for delimiter in (",", "\t", ";", "|"):
        for name in ("w.txt", "w.dat", "w"):
            run(["mds", put(name, text.replace(",", delimiter)), "--metric", "edit", "-o", "o.csv"]).says("column 2 'word'")
            assert [row["id"] for row in rows("o.csv")] == ["1", "2", "3"]
    run(["mds", put("w.txt", "a\tkitten\nb\tsitting\n"), "--metric", "edit", "-o", "o.csv"]).says("every line has tabs")
    run(["mds", put("w.txt", "word\nclass, x\ny, id\n"), "--metric", "edit", "-o", "o.csv"])
    assert len(rows("o.csv")) == 3
    run(["mds", put("s.fa", ">a\nACGT\n>a\nACGG\n>b\nTTTT\n"), "--metric", "edit", "-o", "o.csv"]).says("several items called 'a'")


@by_command("guesses-said")
def numbers_that_float_cannot_hold_are_an_error(run):
    run(["info", put("t.csv", "a,b\n1e-50,2\n2e-50,4\n5e-50,9\n")], None).says("column 1 'a'", "too small for float32")
    run(["info", put("t.csv", "a,b\n1e-50,2\n2e-5,4\n0,9\n")])
    run(["mds", put("d.csv", "0,1e-50\n1e-50,0\n"), "-o", "o.csv"], None).says("too small for float32")
    huge = "a,b\n9007199254740992,2\n9007199254740993,4\n5,9\n"
    run(["info", put("t.csv", huge)], None).says("t.csv:3", "column 1 'a'", "the same number")
    run(["info", put("t.csv", huge.replace("93,", "94,"))]).prints("3 rows, 2 columns")
    run(["info", put("t.csv", huge), "--transpose"], None).says("the same number")


@by_command("guesses-said")
def what_is_measured_is_no_class(run):
    table = put("t.csv", "age,bmi,target\n59,32.1,151.0\n48,21.6,75.5\n72,30.5,141.0\n24,25.3,206.0\n")
    run(["info", table]).prints("4 rows, 2 columns", "labels: none").says("without column 3 'target'", "75.5", "--labels")
    run(["info", table, "--labels", "target"]).prints("4 classes")
    late = "".join(f"{i},{i * i},{i % 3}\n" for i in range(3000)) + "5,6,1.5\n"
    run(["info", put("t.csv", "a,b,class\n" + late)]).prints("labels: none").says("1.5")
    both = put("t.csv", "a,target,species\n1,2.5,x\n2,3.5,y\n3,1.5,x\n")
    run(["info", both]).prints("1 columns", "2 classes").says("without column 2 'target'")
    run(["info", put("t.csv", "a,b,class\n1,2,0.0\n2,2,1.0\n5,1,0.0\n")]).prints("2 classes")


@by_command("guesses-said")
def a_label_is_no_name_of_features(run):
    run(["info", put("t.csv", "a,b,label\n1,2,x\n3,4,y\n5,6,x\n"), "--transpose"]).says("without column 3 'label'")
    run(["info", put("t.csv", "a,b,type\n1,2,x\n3,4,y\n5,6,x\n"), "--transpose"]).says("without column 3 'type'")
    run(["info", put("t.csv", "label,a,b\nx,1,2\ny,3,4\n"), "--transpose"]).says("'label' as names of the columns")
