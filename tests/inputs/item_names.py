# SPDX-License-Identifier: Apache-2.0
"""Names of items, and their order, from columns of other tables, by the command."""

import re

from harness import by_command, put

MAP = "id,x,y\na,0,0\nb,1,3\nc,4,1\nd,2,2\n"


def names_in(picture):
    return re.findall(r">([^<]+)</text>", open(picture).read())


@by_command("item-names")
def names_are_matched_by_id_else_by_row(run):
    put("map.csv", MAP)
    put("names.csv", 'id,full name,size\nd,"D, the fourth",4\nb,Bee,2\na,,1\nz,Zed,9\n')
    put("with:colon.csv", "name\r\nOne\r\nTwo\r\nThree\r\nFour\r\n")
    one = run("draw map.csv -o o.svg --title none --names-from names.csv:2 --names-by size")
    one.says("1 row of names.csv is not in map.csv and not used", "1 of the 4 rows of map.csv is not in names.csv", "without a name for 1 item")
    assert one.err.count("matched by id") == 1 and names_in("o.svg") == ["D, the fourth", "Bee"]
    run("draw map.csv -o o.svg --title none --names-from with:colon.csv:name --names-by names.csv:size").says("matched by order, since with:colon.csv has no ids")
    assert names_in("o.svg") == ["Four", "Two", "One", "Three"]
    run("draw map.csv -o o.html --names-from names.csv:2 --names none --quiet")
    run("mds map.csv -o o.svg --title none --names-from names.csv:2 --names-by given --quiet")
    assert names_in("o.svg") == ["Bee", "D, the fourth"]


@by_command("item-names")
def names_of_graphs_are_of_their_vertices(run):
    put("g.csv", "source,target\nhub,a\nhub,b\nhub,c\na,b\n")
    put("names.csv", "id,name,size\na,Ann,7\nhub,Hub,1\n")
    run("layout g.csv -o o.svg --title none --names 3 --names-from names.csv:name --quiet")
    assert names_in("o.svg") == ["Hub", "Ann"]
    run("layout g.csv -o o.svg --title none --names 1 --names-from names.csv:name --names-by size --quiet")
    assert names_in("o.svg") == ["Ann"]


@by_command("item-names")
def what_is_no_column_is_an_error(run):
    put("map.csv", MAP)
    put("names.csv", "id,name\na,Ann\n")
    put("short.csv", "name,size\nAnn,1\n")
    put("others.csv", "id,name\nq,Ann\n")
    run("draw map.csv -o o.svg --names-from none.csv:name", 2).says("--names-from", "there is no file 'none.csv:name'")
    run("draw map.csv -o o.svg --names-from names.csv:nam", None).says("no column 'nam'")
    run("draw map.csv -o o.svg --names-from short.csv:name", None).says("short.csv has 1 row and map.csv has 4")
    run("draw map.csv -o o.svg --names-from others.csv:name", None).says("no id in common")
    run("draw map.csv -o o.svg --names-by name", 2).says("--names-by", "FILE:COLUMN")
    run("draw map.csv -o o.svg --names-from names.csv:name --names-by name", None).says("words")
    run("draw map.csv -o names.csv --names-from names.csv:name", None)
    run("draw map.csv --style landscape -o o.png --names-from names.csv:name", 2).says("names-from", "a landscape has no points")
    run("waves --line 20 --stimulate 0 -o o.npy --names-from names.csv:name", 2).says("--map")
