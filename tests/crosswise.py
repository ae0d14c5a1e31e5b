# SPDX-License-Identifier: Apache-2.0
"""Two builds resume each other's checkpoints: see crosswise.sh."""

import os
import pathlib
import signal
import sys
import tempfile

sys.path.insert(0, os.fspath(pathlib.Path(__file__).resolve().parent / "attack"))

from checkpointed import METHODS, inputs, output_of  # noqa: E402
from stopped import Stopped, Stopper, ended, resumed  # noqa: E402

# Loops that have their own lines of code, and are not in the attacks' list
MORE = {
    "tsne exact": "tsne p.csv --iterations 60 --repulsion exact",
    "tsne tree": "tsne p.csv --iterations 60 --repulsion tree --dim 3",
    "tsne that converges": "tsne p.csv --iterations 900 --exaggerated-iterations 50 --tolerance 1e-3",
    "tsne beside fixed points": "tsne p.csv --iterations 40 --fixed f.csv",
    "tsne steered": "tsne p.csv --iterations 60 --steer acts.json",
    "umap grid": "umap p.csv --iterations 30 --repulsion grid",
    "umap steered": "umap p.csv --iterations 60 --steer acts.json",
    "pacmap tree": "pacmap p.csv --iterations 10,10,20 --repulsion tree",
    "kmeans cosine": "kmeans p.csv --clusters 7 --metric cosine --start random",
    "mds of a graph": "mds mesh.csv --starts 1 --iterations 30",
    "mds interval": "mds p.csv --method smacof --transform interval --iterations 60",
    "mds steered": "mds p.csv --method smacof --starts 1 --iterations 60 --tolerance 0 --steer acts.json",
    "layout of pieces": "layout pieces.csv --iterations 30",
    "layout in 3-D": "layout mesh.csv --dim 3 --iterations 30",
    "layout steered": "layout mesh.csv --method eades --iterations 60 --steer acts.json",
    "waves of noise": "waves --ring 90 --noise 0.05 --until 20",
}
ACTS = """{"steering": [{"act": "pin", "pass": 0, "iteration": 8, "points": [3, 5], "places": [4, -4, 5, 5]},
 {"act": "nudge", "pass": 0, "iteration": 12, "points": [7], "by": [2, 1]}, {"act": "free", "pass": 0, "iteration": 50, "points": [5]}]}"""


def more_inputs():
    pathlib.Path("acts.json").write_text(ACTS)
    pieces = [(10**6 * p + i, 10**6 * p + i + 1) for p in range(4) for i in range(1000 * p)]
    pathlib.Path("pieces.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in pieces))


class Pair:
    """Both commands, and what they say of a method."""

    def __init__(self, commands, device, stopper):
        self.commands, self.device, self.stopper = commands, device, stopper

    def faults(self, words, output):
        """(what differs, a note)"""
        words = [*words, "-o", output, "--quiet", "--device", self.device]
        wholes = []
        for command in self.commands:
            ended(command, *words, "--threads", "1")
            wholes.append(pathlib.Path(output).read_bytes())
        if wholes[0] != wholes[1]:
            return ["whole runs end with other bytes"], ""
        writes = self.stopper.writes(self.commands[0], [*words, "--threads", "1"])
        if writes < 2:
            return ["it writes one checkpoint, and cannot be stopped before its end"], ""
        found, files = [], {}
        for by, at in ((signal.SIGKILL, max(1, writes // 3)), (signal.SIGINT, max(1, writes * 2 // 3))):
            for first, second in ((0, 1), (1, 0)):
                files[by, first] = self.stopper.stop(self.commands[first], [*words, "--threads", "1"], at, by)
                pathlib.Path(output).unlink(missing_ok=True)
                way = f"{('OLD', 'NEW')[first]}'s file of write {at} of {writes}, by {('OLD', 'NEW')[second]}"
                try:
                    resumed(self.commands[second], *words, "--threads", "2")
                    if pathlib.Path(output).read_bytes() != wholes[0]:
                        found.append(f"{way}: other bytes")
                except Stopped as stopped:
                    found.append(f"{way}: {stopped}")
        equal = files[signal.SIGKILL, 0] == files[signal.SIGKILL, 1]
        return found, f"stopped at writes {max(1, writes // 3)} and {max(1, writes * 2 // 3)} of {writes}, files {'equal' if equal else 'differ'}"


def main():
    arguments = sys.argv[1:]
    device = "cpu"
    if "--device" in arguments:
        place = arguments.index("--device")
        device = arguments[place + 1]
        del arguments[place : place + 2]
    if len(arguments) < 2:
        sys.exit("usage: tests/crosswise.sh OLD NEW [--device cpu|cuda] [WORD...]: two dunlin commands")
    commands, chosen = [os.path.abspath(each) for each in arguments[:2]], arguments[2:]
    failed = count = 0
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # each write is flushed
    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        os.chdir(folder)
        inputs()
        more_inputs()
        pair = Pair(commands, device, Stopper(folder))
        for method, line in {**METHODS, **MORE}.items():
            if chosen and not any(word in method for word in chosen):
                continue
            words = line.split()
            count += 1
            try:
                faults, note = pair.faults(words, output_of(words))
            except Stopped as stopped:
                faults, note = [str(stopped)], ""
            failed += bool(faults)
            print(f"{method:30} {'; '.join(faults) if faults else 'same'}{'  (' + note + ')' if note else ''}", flush=True)
        os.chdir("/")
    print(f"{count - failed} methods are resumed crosswise to the same bytes, {failed} are not")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
