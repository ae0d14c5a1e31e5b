# SPDX-License-Identifier: Apache-2.0
"""Tracks: times, ids, coordinates."""

import pathlib

from harness import apart, by_command, by_python, logged, near, places, put, refused


def _matrix(run, name, metric="dtw", flags=""):
    """The places of the tracks of a file by id, mapped so that their distances are kept."""
    ran = run(f"mds {name} --metric {metric} --device cpu --method classical --dim 2 -o o.csv {flags}")
    return places("o.csv"), ran


# Three tracks of three positions: B is the path of A, C is 5 beside at both
PATH = [("A", 0, 0), ("A", 1, 0), ("A", 2, 0), ("B", 0, 0), ("B", 1, 0), ("B", 2, 0), ("C", 0, 5), ("C", 1, 5), ("C", 2, 5)]


def _times(run, times, name="t.csv", header="id,time,x,y", order=None, code=0):
    """Writes the tracks with these times, in file order 2, 0, 1 of each track, and checks that they are sorted."""
    lines = [f"{i},{t},{x},{y}" for (i, x, y), t in zip(PATH, times)]
    lines = [lines[track + r] for track in (0, 3, 6) for r in (2, 0, 1)]
    put(name, "\n".join([header, *lines]) + "\n")
    if code is None:
        return run(f"mds {name} --metric frechet --device cpu -o o.csv", None)
    at, ran = _matrix(run, name, "frechet")
    near(apart(at, "A", "B"), 0)
    near(apart(at, "A", "C"), 5)
    return ran


@by_command("track-times")
def the_files_of_the_case(run):
    for name in ("t_dmy", "t_mdy", "t_frac"):
        at, _ = _matrix(run, f"{name}.csv", "frechet")
        near(apart(at, "A", "B"), 0)
        near(apart(at, "A", "C"), 5)
        near(apart(at, "B", "C"), 5)


@by_command("track-times")
def each_form_of_a_time_sorts(run):
    for times in (
        ["30/09/2019", "01/10/2019", "02/10/2019"],
        ["30/9/2019 9:05", "30/9/2019 10:05", "1/10/2019 0:00"],
        ["12/31/2019", "01/01/2020", "01/02/2020"],
        ["30.09.2019", "01.10.2019", "02.10.2019"],
        ["1.2.2019", "2.2.2019", "11.1.2020"],
        ["28 Feb 2020", "1 Mar 2020", "2 Mar 2020"],
        ["9:05", "10:05", "11:05"],
        ["9:05 AM", "12:05 PM", "1:05 PM"],
        ["2020-1-9", "2020-1-10", "2020-2-1"],
        ["2020-01-01T23:30:00-02:00", "2020-01-02T02:00:00Z", "2020-01-02T03:30:00+01:00"],
        ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "2020-01-01T00:00:01Z"],
        ["2020-01-01T00:00:00.9", "2020-01-01T00:00:00.95", "2020-01-01T00:00:01"],
        ["99", "1577836800", "1577836801"],
        ["1577836800000000001", "1577836800000000002", "1577836800000000003"],
        ["31012020", "01022020", "02022020"],
        ["20191231", "20200101", "20200102"],
        ["Jan 31 2020 9:00", "Feb 1 2020 8:00", "Feb 1 2020 10:00"],
        ["1 day 00:00:00", "1 day 02:00:00", "10 days 00:00:00"],
        ["9:59:59", "10:00:00", "100:00:00"],
        ["2020-366", "2021-001", "2021-002"],
    ):
        _times(run, times * 3)


@by_command("track-times")
def what_stays_open_names_both_readings(run):
    _times(run, ["03/01/2020", "02/02/2020", "01/03/2020"] * 3, code=None).says(
        "day, month, year", "month, day, year", "t.csv:", "column 2 'time'"
    )
    # Where both readings sort alike, the date does not matter
    _times(run, ["01/02/2020", "02/02/2020", "03/02/2020"] * 3)


@by_command("track-times")
def what_is_no_time_is_an_error_with_its_row(run):
    for bad in ("soon", "2020-02-30", "2020-13-01", "29/02/2019", "10:61", "NA", ""):
        times = ["2020-01-01", "2020-01-02", "2020-01-03"] * 3
        times[7] = bad
        _times(run, times, code=None).says("row 9", "column 2 'time'")
    _times(run, ["2020-01-01T00:00Z", "2020-01-01T01:00", "2020-01-01T02:00Z"] * 3, code=None).says("offset")
    _times(run, ["1577836800", "1577836801000", "1577836802"] * 3, code=None).says("units")
    _times(run, ["30/09/2019", "12/31/2019", "01/10/2019"] * 3, code=None).says("no order of day and month")


@by_command("movebank")
def movebank_is_known(run):
    for flags in ("", "--ids individual-local-identifier"):
        at, ran = _matrix(run, "movebank.csv", "dtw", flags)
        assert sorted(at) == ["a", "b"]
        near(apart(at, "a", "b"), 222390, 5)
        ran.says("event-id")
    text = pathlib.Path("movebank.csv").read_text()
    put("m.csv", text + "5,false,2020-01-01 02:00:00.000,90,0,b\n")
    at, ran = _matrix(run, "m.csv")
    near(apart(at, "a", "b"), 222390, 5)
    ran.says("1 rows that are not visible")
    put("m.csv", text.replace("-", "_"). replace("2020_01_01", "2020-01-01"))
    near(apart(_matrix(run, "m.csv")[0], "a", "b"), 222390, 5)
    put("m.csv", text.replace("-", ".").replace("2020.01.01", "2020-01-01"))
    near(apart(_matrix(run, "m.csv")[0], "a", "b"), 222390, 5)


@by_command("out-track-date-and-time")
def a_date_and_a_time_are_joined(run):
    for name in ("one-column.csv", "time-first.csv", "date-first.csv"):
        at, _ = _matrix(run, name, "frechet")
        near(apart(at, "a", "b"), 0)
        near(apart(at, "a", "c"), 9)
    text = pathlib.Path("date-first.csv").read_text()
    for old, new in (
        ("2024-05-0", "0"), ("-05-0", "-05-0"), ("2024-05-01", "31.12.2023"), ("2024-05-01", "1/5/2024"),
    ):
        changed = text.replace(old, new)
        if new == "0":
            changed = text.replace("2024-05-01", "20240501").replace("2024-05-02", "20240502")
        if new == "31.12.2023":
            changed = changed.replace("2024-05-02", "1.1.2024")
        if new == "1/5/2024":
            changed = changed.replace("2024-05-02", "2/5/2024")
        at, _ = _matrix(run, put("d.csv", changed), "frechet")
        near(apart(at, "a", "b"), 0)
        near(apart(at, "a", "c"), 9)
    # Hours and minutes without a colon, midnight beside a date, columns of a calendar
    at, _ = _matrix(run, put("d.csv", text.replace(":", "")), "frechet")
    near(apart(at, "a", "b"), 0)
    at, _ = _matrix(run, put("d.csv", text.replace("2024-05-01", "2024-05-01 00:00:00").replace("2024-05-02", "2024-05-02 00:00:00")), "frechet")
    near(apart(at, "a", "b"), 0)
    calendar = text.replace("date,time", "year,month,day,hour,minute").replace("2024-05-0", "2024,5,").replace(":", ",")
    at, _ = _matrix(run, put("d.csv", calendar), "frechet")
    near(apart(at, "a", "b"), 0)
    near(apart(at, "a", "c"), 9)


@by_command("out-track-date-and-time")
def clock_times_alone_over_midnight_are_said(run):
    put("d.csv", "id,time,x,y\na,23:50,0,0\na,23:55,1,0\na,00:05,2,0\nb,10:00,0,0\nb,10:05,1,0\n")
    run("mds d.csv --metric frechet --device cpu -o o.csv").says("one day", "midnight")
    # Without ids each row is an item, and its time does not matter
    put("d.csv", "lat,lon,date\n1,2,unknown\n3,4,2020\n5,7,\n")
    run("mds d.csv --metric great-circle --device cpu -o o.csv").says("every row as an item")


@by_command("out-track-empty-ids")
def an_empty_id_or_time_is_an_error_with_its_row(run):
    run("mds t.csv --metric frechet --device cpu -o o.csv", None).says("t.csv:4", "row 3", "column 1 'id'", "empty")
    run("mds empty-time.csv --metric frechet --device cpu -o e.csv", None).says("row 2", "column 2 't'", "empty")
    for second, third, words in (
        ("1,2,1,0", ",3,2,0", ("row 3", "'id'")),
        ("1,,1,0", "2,3,2,0", ("row 2", "'t'")),
        ("NA,2,1,0", "2,3,2,0", ("row 2", "'id'")),
    ):
        put("n.csv", f"id,t,x,y\n1,1,0,0\n{second}\n{third}\n")
        run("mds n.csv --metric frechet --device cpu -o o.csv", None).says(*words)


@by_command("out-track-altitude")
def a_column_that_is_left_out_is_said(run):
    at, ran = _matrix(run, "alt.csv", "frechet")
    near(apart(at, "low", "high"), 0, 1)
    ran.says("without column 5 'alt'")
    text = pathlib.Path("alt.csv").read_text()
    plane = text.replace("lat,lon,alt", "x,y,alt")
    at, ran = _matrix(run, put("p.csv", plane), "frechet")
    near(apart(at, "low", "high"), 9000, 1)
    ran.says("coordinates", "'alt'")
    put("g.gpx", "<gpx><wpt lat='0' lon='0'/><trk><trkseg><trkpt lat='1' lon='2'><ele>5</ele></trkpt></trkseg></trk>"
        "<trk><trkseg><trkpt lat='3' lon='4'/></trkseg></trk></gpx>")
    run("mds g.gpx --device cpu -o o.csv").says("elevations", "1 waypoints")
    put("g.kml", "<kml/>")
    run("mds g.kml --metric frechet --device cpu -o o.csv", None).says(".kml", "GPX")


@by_command("out-track-altitude")
def columns_are_found_by_their_names(run):
    for header in ("MMSI,BaseDateTime,LAT,LON", "track_id,Time (UTC),Latitude [deg],Longitude [deg]", "Trip,when,lat,lng",
                   "animal_id,DateTime,decimalLatitude,decimalLongitude"):
        lines = ["1,2020-01-01T00:00:01,50,10", "1,2020-01-01T00:00:00,50,11", "2,2020-01-01T00:00:00,51,11", "2,2020-01-01T00:00:01,51,10"]
        at, _ = _matrix(run, put("n.csv", "\n".join([header, *lines]) + "\n"), "frechet")
        near(apart(at, "1", "2"), 111195, 5)
    # A number of each row is no track beside a column that repeats
    put("n.csv", "id,trip,time,x,y\n1,a,1,0,0\n2,a,2,1,0\n3,b,1,0,5\n4,b,2,1,5\n")
    at, ran = _matrix(run, "n.csv", "frechet")
    near(apart(at, "a", "b"), 5)
    ran.says("'trip'")


def _frame():
    """Three tracks whose rows are in reverse, across a change of the clocks."""
    import pandas as pd

    times = pd.to_datetime(["2020-10-25T00:30Z", "2020-10-25T01:00Z", "2020-10-25T01:30Z"]).tz_convert("Europe/Berlin")
    parts = [("a", 0.0), ("b", 0.0), ("c", 5.0)]
    return pd.concat(
        [pd.DataFrame({"id": i, "time": times, "x": [0.0, 1.0, 2.0], "y": y})[::-1] for i, y in parts], ignore_index=True
    )


def _check_abc(distances):
    near(distances[0, 1], 0)
    near(distances[0, 2], 5)


@by_python("track-times")
def tables_with_time_zones_are_tracks():
    import dunlin

    frame = _frame()
    _check_abc(dunlin.sequence_distances(frame, metric="dtw") / [1, 1, 3])
    _check_abc(dunlin.sequence_distances(frame, metric="frechet"))
    _check_abc(dunlin.sequence_distances(frame.set_index(["id", "time"]), metric="frechet"))
    _check_abc(dunlin.sequence_distances([part.drop(columns="id") for _, part in frame.groupby("id")], metric="frechet"))
    _check_abc(dunlin.sequence_distances(frame.assign(time=frame.time.astype(str)), metric="frechet"))
    assert dunlin.mds(tracks=frame, metric="frechet").embedding.shape == (3, 2)
    assert len(dunlin.kmedoids(tracks=frame, metric="frechet", n_clusters=2).labels) == 3


@by_python("ids-ignored")
def results_of_tracks_have_their_ids():
    import dunlin
    import numpy as np
    import pandas as pd

    # In the order of the items: of first rows, or ascending numbers; init and labels follow the names
    frame = _frame().iloc[::-1].reset_index(drop=True)
    for given, ids in ((frame, ["c", "b", "a"]), (frame.assign(id=frame.id.map({"a": 10, "b": 9, "c": 2})), ["2", "9", "10"])):
        found = dunlin.mds(tracks=given, metric="frechet")
        assert list(found.ids) == ids
        near(abs(np.subtract(*found.embedding[1:])).max(), 0)
        medoids = dunlin.kmedoids(tracks=given, metric="frechet", n_clusters=2)
        assert list(medoids.ids) == ids and medoids.labels[1] == medoids.labels[2] != medoids.labels[0]
        distances = dunlin.sequence_distances(given, metric="frechet")
        assert list(distances.ids) == ids and list(dunlin.mds(dissimilarities=distances).ids) == ids
    start = pd.DataFrame([[0.0, 0], [0, 1], [5, 0]], index=[*"abc"])
    held = dunlin.mds(tracks=frame, metric="frechet", fixed=start.loc[["c", "a"]]).embedding
    assert held[[0, 2]].tolist() == [[5, 0], [0, 0]]
    colors = pd.Series(["red", "green", "blue"], index=[*"abc"])
    assert dunlin.draw(found, labels=colors.rename({"a": 10, "b": 9, "c": 2})[::-1]).data == dunlin.draw(
        found, labels=["blue", "green", "red"]
    ).data

    # A Series names its tracks, a list does not; of rows without ids each is an item
    parts = [part.drop(columns="id") for _, part in frame.groupby("id")]
    arrays = [part[["x", "y"]].to_numpy() for part in parts]
    for series in (pd.Series(arrays, index=[*"abc"]), pd.Series(parts, index=[*"abc"])):
        assert list(dunlin.mds(tracks=series, metric="frechet").ids) == ["a", "b", "c"]
    assert list(dunlin.mds(tracks=(pd.Series(arrays, index=[*"abc"]), "geographic")).ids) == ["a", "b", "c"]
    for tracks in (arrays, parts, frame[["x", "y"]]):
        assert dunlin.kmedoids(tracks=tracks, metric="frechet", n_clusters=2).ids is None
    words = pd.Series(["cat", "cats", "dog"], index=[*"xyz"])
    assert list(dunlin.sequence_distances(words).ids) == [*"xyz"] and not hasattr(dunlin.sequence_distances([*words]), "ids")


@by_python("out-strings-from-tables")
def what_is_no_list_of_tracks_is_an_error():
    import dunlin

    frame = _frame()
    refused(lambda: dunlin.mds(tracks={"a": [[0, 0], [1, 1]]}), "tracks is a dict")
    refused(lambda: dunlin.mds(tracks=frame.groupby("id")), "track 0 holds values that are no numbers")
    refused(lambda: dunlin.mds(tracks=[1, 2]), "track 0 has the shape ()")
    refused(lambda: dunlin.sequence_distances({7: "cat"}), "strings is a dict")


@by_python("track-times")
def tables_of_polars_and_pyarrow_are_tracks():
    import dunlin

    try:
        import polars
        import pyarrow
    except ImportError:
        return
    frame = _frame()
    _check_abc(dunlin.sequence_distances(polars.from_pandas(frame), metric="frechet"))
    _check_abc(dunlin.sequence_distances(pyarrow.Table.from_pandas(frame), metric="frechet"))
    words = ["cat", "cats", "dog"]
    for column in (polars.Series(words), pyarrow.array(words), pyarrow.chunked_array([words[:1], words[1:]])):
        near(dunlin.sequence_distances(column)[0, 1], 1)


@by_python("out-track-empty-ids")
def a_missing_time_or_id_is_an_error_with_its_row():
    import dunlin
    import pandas as pd

    frame = _frame()
    for column, value in (("time", pd.NaT), ("id", None), ("x", float("nan"))):
        changed = frame.copy()
        changed.loc[4, column] = value
        error = refused(lambda: dunlin.sequence_distances(changed, metric="frechet"), "row 5", column)
        assert error.option == "tracks" and error.row == 4
    changed = frame.assign(time=["1/2/2020", "2/1/2020", "3/1/2020"] * 3)
    refused(lambda: dunlin.sequence_distances(changed, metric="frechet"), "day, month, year", "month, day, year")


@by_python("out-track-altitude")
def columns_that_are_left_out_are_logged():
    import dunlin
    import pandas as pd

    with logged() as lines:
        distances = dunlin.sequence_distances(pd.read_csv("alt.csv"), metric="frechet")
    near(distances[0, 1], 0)
    near(distances[0, 2], 3791, 5)
    assert any("alt" in line for line in lines), lines


@by_python("movebank")
def movebank_of_pandas():
    import dunlin
    import pandas as pd

    near(dunlin.sequence_distances(pd.read_csv("movebank.csv"), metric="dtw")[0, 1], 222390, 5)


@by_python("out-strings-from-tables")
def what_is_no_list_of_strings_is_an_error():
    import dunlin
    import numpy as np
    import pandas as pd

    table = pd.read_csv("words.csv")
    near(dunlin.sequence_distances(table.word)[0, 1], 1)
    refused(lambda: dunlin.mds(strings=table), "is a table")
    refused(lambda: dunlin.mds(strings={"a": "cat"}), "is a dict")
    for missing in (None, float("nan"), pd.NA):
        error = refused(lambda: dunlin.mds(strings=["cat", missing, "dog"]), "item 1 is missing")
        assert error.row == 1
    refused(lambda: dunlin.mds(strings=np.ma.array(["cat", "dog"], mask=[False, True])), "item 1 is missing")
    refused(lambda: dunlin.mds(strings=[b"cat", b"dog"]), "bytes")
    refused(lambda: dunlin.mds(tracks=[np.ma.array([[1.0, 2], [3, 4]], mask=[[0, 0], [1, 0]])] * 3), "masked")
    refused(lambda: dunlin.mds(tracks=[np.array(["2020-01-01", "2020-01-02"], "M8[s]")] * 3), "times")
    refused(lambda: dunlin.mds(tracks=[[["x", "y"]]] * 3), "no numbers")
