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
mkdir -p copy/bench copy/docs
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
echo '[nowhere](absent.md) [no heading](page.md#absent)' >copy/docs/links.md
echo '`a/none.hpp`' >>copy/docs/page.md
python3 "$here/links.py" copy >out && fail "broken links were not found"
lines out 3

finish
