#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages in a real browser, which draws with Mesa's software OpenGL (./dev browser installs what this needs).
. "$(dirname "$0")/lib.sh"

for program in chromedriver chromium-headless-shell; do
    command -v "$program" >/dev/null && continue
    echo "skipped: $program is not there; ./dev browser packages installs it"
    exit 77
done
python=/usr/bin/python3
if ! "$python" -c 'import selenium' 2>/dev/null; then
    echo "skipped: python3-selenium is not there; ./dev browser packages installs it"
    exit 77
fi
# Two at a time, since a page waits most of the time; the longest, of WebGPU, is among the first
export python PYTHONDONTWRITEBYTECODE=1
printf '%s\n' "$DUNLIN_SOURCE"/tests/browser/*_test.py | sort -r |
    xargs -P 2 -n 1 sh -c '"$python" "$1" >"${1##*/}.out" 2>&1 && touch "${1##*/}.passed"' run || true
for tests in "$DUNLIN_SOURCE"/tests/browser/*_test.py; do
    name=${tests##*/}
    [ -e "$name.passed" ] || fail "$name: $(tail -n 60 "$name.out")"
    tail -n 3 "$name.out"
done

finish
