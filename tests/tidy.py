#!/usr/bin/env python3
"""Runs clang-tidy on the sources of a build whose path matches; leaves out those that passed before with the same text.

A source has the same text where its command, the project's files it includes (as the build recorded them), .clang-tidy and the
version of clang-tidy are the same. Sources without a record are always checked.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys


def includes(build):
    """The project's files that each object was compiled from, by the object's path in the build folder."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    files = {}
    for block in listing.split("\n\n"):
        head, *names = block.strip().split("\n")
        if ": #deps" in head and "(VALID)" in head:
            files[head.split(":")[0]] = [os.path.normpath(os.path.join(build, name.strip())) for name in names]
    return files


def digest(entry, files, root, common):
    """The key under which a source that passed is remembered, or None where the build has no record of its includes."""
    recorded = files.get(re.search(r" -o (\S+)", entry["command"])[1])
    if not recorded:
        return None
    key = hashlib.sha256(common + entry["command"].encode())
    for name in sorted(name for name in recorded if name.startswith(root + "/")):
        with open(name, "rb") as file:
            key.update(file.read())
    return key.hexdigest()[:20]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tidy", help="clang-tidy")
    parser.add_argument("root", help="root of the project")
    parser.add_argument("build", help="build folder, built, with compile_commands.json")
    parser.add_argument("passed", help="folder that remembers what passed")
    parser.add_argument("jobs", type=int)
    parser.add_argument("pattern", help="regular expression that the path of a source matches")
    options = parser.parse_args()

    # What passed before
    with open(os.path.join(options.build, "compile_commands.json")) as file:
        entries = [entry for entry in json.load(file) if re.search(options.pattern, entry["file"])]
    entries = list({entry["file"]: entry for entry in entries}.values())
    version = subprocess.run([options.tidy, "--version"], capture_output=True, check=True).stdout
    with open(os.path.join(options.root, ".clang-tidy"), "rb") as file:
        common = version + file.read()
    files = includes(options.build)
    marks = {}
    for entry in entries:
        key = digest(entry, files, options.root, common)
        marks[entry["file"]] = key and os.path.join(options.passed, key)
    waiting = sorted(name for name, mark in marks.items() if not (mark and os.path.exists(mark)))
    os.makedirs(options.passed, exist_ok=True)
    print(f"dev: {len(entries) - len(waiting)} of {len(entries)} sources have passed before", flush=True)
    if not entries:
        sys.exit(f"dev: no source matches {options.pattern}")

    # g++ gives the compiler warnings, hence -w
    def check(name):
        command = [options.tidy, "--quiet", "-p", options.build, "--extra-arg=-w", "--warnings-as-errors=*", name]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode == 0 and marks[name]:
            open(marks[name], "w").close()
        return result

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, result in zip(waiting, pool.map(check, waiting)):
            if result.returncode:
                failed += 1
                print(f"{name}:\n{result.stdout}", flush=True)
    if failed:
        sys.exit(f"dev: clang-tidy found something in {failed} of {len(waiting)} sources")


if __name__ == "__main__":
    main()
