#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures in README.md and docs agree with bench/results, diagrams with the sources, and links have targets.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not there"
    exit 77
fi
python3 "$DUNLIN_SOURCE/bench/figures.py" --check || fail "figures differ from bench/results: bench/figures.py writes them"
for script in "$DUNLIN_SOURCE"/docs/figures/*.py; do
    [ "${script##*/}" = svg.py ] || python3 "$script" --check || fail "pictures are old: $script draws them"
done
python3 "$here/links.py" "$DUNLIN_SOURCE" || fail "links lead nowhere"

# Both checks detect errors
mkdir -p copy/bench copy/docs/figures/queries
echo >copy/README.md
cp -r "$DUNLIN_SOURCE/bench/results" "$DUNLIN_SOURCE/bench/figures.py" copy/bench
cat >copy/docs/page.md <<'END'
<!-- figures: mnist10k.csv stage=whole system=sklearn
| | version .3g |
-->
| | version |
|---|---|
| a | 1.5 |
END
python3 copy/bench/figures.py --check >out 2>&1 && fail "a version was taken for a figure"
contains out "could not convert"
sed -i 's/version .3g/rows .0f/' copy/docs/page.md
python3 copy/bench/figures.py --check >out 2>&1 && fail "a wrong figure was not found"
python3 copy/bench/figures.py >out || fail "a figure was not written: $(cat out)"
contains copy/docs/page.md '| a | 10,000 |'
python3 copy/bench/figures.py --check || fail "a written figure is not right"
sed -i 's/rows .0f/rows text/; s/10,000/1/' copy/docs/page.md
python3 copy/bench/figures.py >out || fail "a figure was not written as in the file: $(cat out)"
contains copy/docs/page.md '| a | 10,000 |'
python3 - copy/docs/page.md copy/docs/figures/queries/versions.txt <<'END'
import sys
from pathlib import Path

page, side = map(Path, sys.argv[1:])
comment, table = page.read_text().split("-->\n")
side.write_text(comment.removeprefix("<!-- figures: "))
page.write_text("<!-- figures: versions -->\n" + table)
END
python3 copy/bench/figures.py --check || fail "a table with its queries in a file is not right"
sed -i 's/10,000/1/' copy/docs/page.md
python3 copy/bench/figures.py --check >out 2>&1 && fail "a wrong figure was not found by queries in a file"
python3 copy/bench/figures.py >out || fail "a figure was not written by queries in a file: $(cat out)"
contains copy/docs/page.md '| a | 10,000 |'
cp copy/docs/figures/queries/versions.txt copy/docs/figures/queries/spare.txt
python3 copy/bench/figures.py --check >out && fail "queries without a table were not found"
contains out "spare.txt: no table names it"
sed -i 's/figures: versions/figures: absent/' copy/docs/page.md
python3 copy/bench/figures.py --check >out && fail "a table without queries was not found"
contains out "absent.txt is not there"
echo '[nowhere](absent.md) [no heading](page.md#absent)' >copy/docs/links.md
echo '`a/none.hpp`' >>copy/docs/page.md
python3 "$here/links.py" copy >out && fail "broken links were not found"
lines out 3

finish
