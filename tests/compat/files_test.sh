#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command reads what the command of earlier releases wrote (README.md).
. "$DUNLIN_SOURCE/tests/install/lib.sh"

command -v python3 >/dev/null || { echo "no python3: files of earlier releases are not read"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$DUNLIN_SOURCE/tests/compat/read_files.py" "$DUNLIN_COMMAND" || fail "files of earlier releases"

finish
