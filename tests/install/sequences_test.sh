#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin mds and kmedoids of strings and tracks; what they cannot use is named.
. "$(dirname "$0")/lib.sh"

printf 'kitten\nsitting\nmitten\nSaturday\nSunday\nSundays\n' >words.txt
exits 0 kmedoids words.txt --metric edit --clusters 2 -o clusters.csv --report report.json --threads 2
contains out '3 items around'
contains out '2 clusters of 6 items, inertia'
contains clusters.csv 'id,cluster'
contains clusters.csv 'kitten,'
for part in '"command": "kmedoids"' '"metric": "edit"' '"unit": "characters"' '"medoid_ids"' '"silhouette"' '"inertia"' \
    '"kind": "lines"' '"rows": 6' '"clusters": 2' '"start": "plusplus"'; do
    contains report.json "$part"
done
cp clusters.csv first.csv
exits 0 kmedoids words.txt --metric edit --clusters 2 -o clusters.csv --threads 1 --quiet
same first.csv clusters.csv
exits 0 mds words.txt --metric edit -o map.csv --report report.json --quiet
contains map.csv 'Saturday,'
contains report.json '"normalized_stress"'
contains report.json '"device": "cpu"'
exits 0 mds words.txt --metric edit --pairs on-demand --landmarks 4 -o map.csv --report report.json --quiet
contains report.json '"computed"'
contains report.json '"deterministic": true'
printf 'the cat sat\nthe dog sat\n\n' >texts.txt
exits 0 mds texts.txt --metric edit --unit words -o map.csv --quiet
lines map.csv 3 # empty lines at the end are no items

cat >tracks.csv <<'END'
id,time,lat,lon,kind
b,2,52.51,13.41,car
a,1,52.50,13.40,foot
a,2,52.51,13.40,foot
b,1,52.50,13.41,car
c,1,48.85,2.35,car
END
for metric in dtw frechet hausdorff; do
    exits 0 mds tracks.csv --metric $metric --labels kind -o map.csv --report report.json --quiet
    contains report.json "\"metric\": \"$metric\""
    contains map.csv 'id,x,y,label'
    contains map.csv ',foot'
    lines map.csv 4
done
exits 0 mds tracks.csv --metric dtw --band 1 --cost square -o map.csv --quiet
printf 'lat,lon\n52.52,13.405\n48.8566,2.3522\n' >cities.csv
exits 0 mds cities.csv --metric great-circle --dim 1 -o map.npy --quiet
exits 0 kmedoids cities.csv --metric great-circle --clusters 1 --report report.json --quiet -o c.csv
contains report.json '"inertia": 877'

cat >walks.gpx <<'END'
<?xml version="1.0"?>
<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">
<trk><name>morning</name><trkseg><trkpt lat="52.5" lon="13.4"><ele>30</ele></trkpt></trkseg><trkseg><trkpt lat="52.51" lon="13.4"/></trkseg></trk>
<trk><trkseg><trkpt lat="52.52" lon="13.41"/><trkpt lat="52.53" lon="13.42"/></trkseg></trk>
<trk><name>empty</name></trk>
</gpx>
END
exits 0 kmedoids walks.gpx --clusters 2 -o clusters.csv --report report.json
contains err 'read without 1 tracks that have no position'
contains clusters.csv 'morning,'
contains clusters.csv 'track 2,'
contains report.json '"metric": "frechet"'
mkdir -p tours
cp walks.gpx tours/one.gpx
gzip -c walks.gpx >tours/two.gpx.gz
exits 0 kmedoids tours --clusters 2 -o clusters.csv --quiet
lines clusters.csv 5
contains clusters.csv 'two.gpx.gz:morning,'

exits 0 kmedoids "$digits" --clusters 10 -o clusters.csv --quiet
lines clusters.csv 1798
printf '0,1,5\n1,0,4\n5,4,0\n' >square.csv
exits 0 kmedoids square.csv --clusters 2 -o clusters.csv --quiet
lines clusters.csv 4

refuses() { # CODE TEXT ARGUMENTS...
    code=$1 text=$2
    shift 2
    exits "$code" "$@"
    contains err "$text"
    lines err 1
}
printf 'x,y\n1,2\n' >plane.csv
refuses 2 'metric is great-circle, which is of latitudes' kmedoids plane.csv --metric great-circle --clusters 1 --quiet
refuses 2 'band' mds square.csv --band 3 --quiet
refuses 2 'unit' mds tracks.csv --metric dtw --unit words
refuses 2 'normalize' mds words.txt --metric edit --normalize zscore
refuses 2 'transpose' mds words.txt --metric edit --transpose
refuses 4 'k-medoids of other items than strings and tracks' kmedoids square.csv --clusters 2 --device cuda --quiet
refuses 2 'clusters is 7, but there are 6 items' kmedoids words.txt --metric edit --clusters 7
refuses 2 'feed' mds words.txt --metric edit --feed cat
refuses 2 "ids: 'who' is no column" mds tracks.csv --metric dtw --ids who
printf '1,2\n3,4\n' >plain.csv
refuses 3 'has no header' mds plain.csv --metric dtw
printf 'id,lat,lon\na,95,1\n' >north.csv
refuses 3 'the latitude is 95' mds north.csv --metric frechet
printf '<gpx><trk><trkseg>\n<trkpt lat="x" lon="1"/></trkseg></trk></gpx>' >bad.gpx
refuses 3 'bad.gpx:2: a position needs the numbers lat and lon' mds bad.gpx
printf '<kml/>' >kml.gpx
refuses 3 'it is no GPX' mds kml.gpx
mkdir -p nothing
refuses 3 'a folder without .gpx files' mds nothing
: >empty.txt
refuses 3 'is empty' mds empty.txt --metric edit
printf 'a\nb\n' >labels.txt
refuses 3 'labels.txt has 2 rows' mds words.txt --metric edit --labels labels.txt

finish
