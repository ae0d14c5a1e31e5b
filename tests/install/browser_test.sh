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
for tests in "$DUNLIN_SOURCE"/tests/browser/*_test.py; do
    PYTHONDONTWRITEBYTECODE=1 "$python" "$tests" >out 2>&1 || fail "${tests##*/}: $(tail -n 60 out)"
    tail -n 3 out
done

finish
