#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inputs that people brought give the right values: the checks of tests/inputs by the command.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || { echo "no python3: the inputs are not checked"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$DUNLIN_SOURCE/tests/inputs/run.py" "$DUNLIN_COMMAND" || fail "inputs that people brought"

finish
