#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Attacks end as the docs promise: the checks of tests/attack by the command.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || { echo "no python3: nothing is attacked"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$DUNLIN_SOURCE/tests/attack/run.py" "$DUNLIN_COMMAND" || fail "an attack"

finish
