# SPDX-License-Identifier: Apache-2.0
"""measure.py CHECKOUT: numbers that say how far the code of a checkout is from its aims, a line each. They are counts of words and files, by
ctags and grep; ./dev measure has what they need."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CODE = (".cpp", ".hpp", ".cu", ".cuh")
LONG, MANY, SMALL = 40, 7, 25  # lines of a function, parameters, lines of a header
START = "src/tsne/tsne.cpp"


class Tree:
    """The sources of a checkout, by path."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        if not (self.root / "src").is_dir():
            sys.exit(f"measure: {root} is no checkout: it has no folder src")
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
        self.text = {}
        for path in sorted(listed):
            if path.startswith(("src/", "include/", "app/", "serve/", "python/")) and (self.root / path).is_file():
                self.text[path] = (self.root / path).read_text(errors="replace")

    def code(self, *folders):
        return {path: text for path, text in self.text.items() if path.startswith(folders) and path.endswith(CODE)}

    def count(self, pattern, *folders, but=None):
        """How often a pattern is in the code of folders."""
        return sum(len(re.findall(pattern, text)) for path, text in self.code(*folders).items() if not (but and re.match(but, path)))

    def files(self, pattern, *folders, but=None):
        """In how many files it is."""
        return sum(bool(re.search(pattern, text)) for path, text in self.code(*folders).items() if not (but and re.match(but, path)))

    def words(self, pattern):
        return {path.relative_to(self.root).as_posix(): len(path.read_text(errors="replace").split()) for path in self.root.glob(pattern)}


def traces_of_pacmap(tree):
    own = re.compile(r"src/pacmap/|include/dunlin/pacmap\.hpp")
    ours = (path for path in tree.text if path.startswith(("app/", "include/", "python/dunlin/", "python/src/", "src/", "serve/")))
    return sum(bool(re.search("pacmap|FurtherPairs", tree.text[path], re.IGNORECASE)) for path in ours if not own.match(path) and not path.endswith(".pyi"))


def seams(tree):
    """Headers between a folder and its code for GPUs that have a name of their own, not backend.hpp."""
    others = ("src/scores/score_engine.hpp", "src/reliability/left_out.hpp", "src/io/narrow_on_gpu.hpp")
    return sum(path in others or bool(re.fullmatch(r"src/\w+/cuda\.hpp", path)) for path in tree.text)


def repeated_types(tree):
    files = [path for path in tree.code("src/", "include/")]
    done = subprocess.run(["awk", "-v", "reused=3", "-f", HERE / "defined_once.awk", *files], cwd=tree.root, stdout=subprocess.PIPE, text=True)
    return sum(line.startswith("reused: ") for line in done.stdout.splitlines())


def closure(tree, start):
    """Files and lines of a source and of all headers of the checkout that it includes, through others too."""
    seen, left = set(), [start]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in re.findall(r'^#include ["<]([^">]+)[">]', tree.text[path], re.MULTILINE):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            left += [each for each in ("src/" + name, "include/" + name, beside) if each in tree.text][:1]
    return f"{len(seen)} files, {sum(tree.text[path].count(chr(10)) for path in seen)} lines"


def parameters_of(signature):
    """How many parameters a signature has: commas outside brackets."""
    inner, depth, count = signature.strip()[1:-1].strip(), 0, 1
    if inner in ("", "void"):
        return 0
    for letter in inner:
        depth += (letter in "([{<") - (letter in ")]}>")
        count += letter == "," and depth <= 0
    return count


def functions(tree):
    """Of src and include: how many are long, of how many, and how many have many parameters."""
    command = ["ctags", "--output-format=json", "--fields=+neS", "--kinds-C++=f", "--langmap=C++:+.cu.cuh", "-f", "-", "-L", "-"]
    try:
        done = subprocess.run(command, cwd=tree.root, input="\n".join(tree.code("src/", "include/")), stdout=subprocess.PIPE, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "not counted: Universal Ctags is not there"
    found = collections.Counter()
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag" or "end" not in tag:
            continue
        found["all"] += 1
        found["long"] += tag["end"] - tag["line"] + 1 > LONG
        found["many"] += parameters_of(tag.get("signature", "()")) >= MANY
    return f"{found['long']} of {found['all']}; {found['many']}"


def headers(tree):
    return sum(path.startswith("src/") and path.endswith((".hpp", ".cuh")) and text.count("\n") <= SMALL for path, text in tree.text.items())


def measures(tree):
    docs, of_root = tree.words("docs/*.md"), tree.words("*.md")
    loops = r"checkpoint::(Loop|CountedLoop)|live::Loop |SteeredLoop|SteeredMap<|WatchedMap<"
    guards = r"\b(Unseen|Alone|Suspended|Joined|joins_next|without_checkpoint|AgreedStop|Rank::current)\b"
    endings = r"struct (Termination|DescentStatus|LloydStatus|GpuPosition|FoundCentroids)\b"
    flags = (r"bool manhattan|manhattan\(\)|manhattan_|<manhattan>|KeyTerm|\bNorm\b|DissimilarityKind|AddSquare|AddMagnitude|AddProduct")
    named = r"Metric::(manhattan|inner_product|cosine|correlation)"
    butterfly = r"lanes > 0; lanes /= 2\).*__shfl_xor"
    yield "loops by hand, outside src/run", tree.count(r"checkpoint::(CountedLoop|Loop) loop", "src/", but="src/run/")
    yield "files that know loops of live or checkpoint", tree.files(loops, "src/", but="src/(checkpoint|live|run)/")
    yield "mentions of hidden context", tree.count(guards, "src/")
    yield "thread_local", tree.count("thread_local", "src/")
    yield "types for an ending", tree.count(endings, "src/")
    yield "files with a flag or enum for a metric", tree.files(flags, "src/")
    yield "files that name a metric", tree.files(named, "src/", "app/", but=".*(kmeans|sequences)")
    yield "files with traces of PaCMAP outside it", traces_of_pacmap(tree)
    yield "files with _on_device or _with_cuda", tree.files(r"\w(_on_device|_with_cuda)\b", "src/")
    yield "seams that are not called backend.hpp", seams(tree)
    yield "plain butterflies", tree.count(butterfly, "src/", but="src/device/warp.cuh")
    yield "type names in 3 files or more", repeated_types(tree)
    yield f"functions over {LONG} lines; of {MANY} parameters or more", functions(tree)
    yield f"closure of {START}", closure(tree, START)
    yield f"headers of {SMALL} lines or fewer in src", headers(tree)
    yield "files of src, include; their lines", f"{len(tree.code('src/', 'include/'))}; {sum(text.count(chr(10)) for text in tree.code('src/', 'include/').values())}"
    yield "words of guides but options.md; README; CHANGELOG", "; ".join(
        str(count) for count in (sum(docs.values()) - docs["docs/options.md"], of_root["README.md"], of_root["CHANGELOG.md"]))


def main():
    tree = Tree(sys.argv[1] if len(sys.argv) > 1 else HERE.parent)
    for name, value in measures(tree):
        print(f"{name:52} {value}", flush=True)


if __name__ == "__main__":
    main()
