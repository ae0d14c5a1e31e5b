#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The viewer in a Chromium that draws on a GPU (docs/viewer.md): what the acceptance of the viewer asks for, as rows of CSV
with targets.

    bench/viewer_gpu.py --command build/dunlin --chromium PROGRAM --work FOLDER PART... >>bench/results/viewer.csv

Parts: prepare (inputs and pages, needs NumPy), pages, view, graphs, live, cost, drag, hand, peers, sums, soak, script (needs NumPy). Without a browser are
cost and hand, whose inputs `runs` makes. Frames end when a fence of the graphics card is through. A browser that draws in software is refused, unless --software is given. A machine without
Debian's packages needs a folder with chromium-headless-shell, its data files and the libraries that ldd lists; the driver's EGL
is found through libglvnd. `peers` needs --peers FOLDER with deck.js (nbextension/static/index.js of the wheel of pydeck) and
bundle.js (of the wheel of jupyter-scatter), which are not part of this program. Only prepare, runs and script need more than Python's own library.
"""

import argparse
import csv
import datetime
import signal
import statistics
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent / "view"
sys.path.insert(0, str(HERE))
import hand  # noqa: E402
import watch_cost  # noqa: E402
from chromium import Chromium  # noqa: E402
from peer_server import peer_server  # noqa: E402
from repeated import Repeated  # noqa: E402

COLUMNS = ["date", "commit", "device", "renderer", "goal", "case", "points", "edges", "figure", "value", "unit", "target", "met", "note"]
CTRL = 2  # in a mouse event
WEBGPU = "--use-angle=vulkan --enable-features=Vulkan --disable-vulkan-surface --enable-unsafe-webgpu"


class Bench(Repeated):
    def __init__(self, arguments):
        self.arguments, self.work, self.renderer = arguments, arguments.work, ""
        self.large, self.small = arguments.large, arguments.small
        self.writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        if arguments.header:
            self.writer.writeheader()

    def row(self, goal, case, figure, value, unit, target=None, most=True, points="", edges="", note=""):
        """A row; with `most` the target is an upper bound, else a lower one."""
        met = "" if target is None else "yes" if (value <= target if most else value >= target) else "no"
        bound = "" if target is None else ("<= " if most else ">= ") + f"{target:g}"
        self.writer.writerow({"date": datetime.date.today().isoformat(), "commit": self.arguments.commit, "device": self.arguments.machine,
                              "renderer": self.renderer, "goal": goal, "case": case, "points": points, "edges": edges, "figure": figure,
                              "value": f"{value:.4g}" if isinstance(value, float) else value, "unit": unit, "target": bound, "met": met, "note": note})
        sys.stdout.flush()

    @staticmethod
    def numbers(result):
        """A page's result, whose numbers that are not finite came as None."""
        return {name: float("nan") if value is None else value for name, value in result.items()}

    @property
    def webgpu(self):
        """Flags of a browser with WebGPU."""
        return (self.arguments.webgpu or ("--enable-unsafe-webgpu --use-webgpu-adapter=swiftshader" if self.arguments.software else WEBGPU)).split()

    def painted(self, browser):
        """What is after the name of a case: the painter that draws the page, if it is not WebGL."""
        name = browser.run("return await bench.painter()")
        if name != {"webgl": "WebGL 2", "webgpu": "WebGPU"}[self.arguments.painter]:
            raise RuntimeError(f"{name} draws the page")
        return ", by WebGPU" if name == "WebGPU" else ""

    def browser(self, script="page.js", more=()):
        by_webgpu = self.arguments.painter == "webgpu"
        browser = Chromium(self.arguments.chromium, self.arguments.side, [*more, *(self.webgpu if by_webgpu else [])])
        self.renderer = browser.renderer
        if browser.is_software and not self.arguments.software:
            browser.close()
            sys.exit(f"the browser draws in software ({browser.renderer}); --software allows that")
        if script:
            browser.before((HERE / script).read_text() + f"\nconst LIMIT = {self.arguments.seconds}, WEBGPU = {str(by_webgpu).lower()}, SOFTWARE = {str(self.arguments.software).lower()};")
        return browser

    def picture(self, browser, name):
        if self.arguments.pictures:
            self.arguments.pictures.mkdir(parents=True, exist_ok=True)
            browser.picture(self.arguments.pictures / f"{name}.png")

    def serve(self, *arguments):
        """A command that prints the address of its page."""
        process = subprocess.Popen([self.arguments.command, *map(str, arguments), "--no-open", "--quiet"], stdout=subprocess.PIPE, text=True, cwd=self.work)
        return process, process.stdout.readline().strip()

    def path(self, name):
        return (self.work / name).resolve()

    # Inputs

    def make(self, *tasks):
        running = [subprocess.Popen([sys.executable, HERE / "made.py", self.work, kind, str(n)]) for kind, n in tasks]
        if any([process.wait() for process in running]):
            sys.exit("an input could not be made")

    def runs(self):
        self.make(("points", self.small), ("points", self.large), ("lattice", self.small))

    def prepare(self):
        self.runs()
        self.make(*[(kind, n) for kind in ("map", "long") for n in (self.small, self.large)])
        pages = []
        for n in (self.small, self.large):
            map_, labels = [f"map-{n}.npy", "--labels", f"labels-{n}.npy"], ["--title", "blobs"]
            pages += [[*map_, *labels, "-o", f"map-{n}.html"], [*map_, *labels, "--point-size", "2", "-o", f"peer-{n}.html"]]
            pages.append([f"long-{n}.npy", "--graph", f"long-{n}.npz", "--title", "long edges", "-o", f"long-{n}.html"])
        running = [subprocess.Popen([self.arguments.command, "draw", *page, "--quiet"], cwd=self.work) for page in pages]
        if any([process.wait() for process in running]):
            sys.exit("a page could not be made")
        for n in (self.small, self.large):  # as bytes for the peers' pages, which read .npy
            (self.work / f"places-{n}.bin").write_bytes((self.work / f"map-{n}.npy").read_bytes()[-8 * n:])
            labels = memoryview((self.work / f"labels-{n}.npy").read_bytes()[-4 * n:])
            (self.work / f"labels-{n}.bin").write_bytes(bytes(labels[::4]))

    # Pages in files: G1, G3, G5

    def pages(self):
        for n in (self.small, self.large):
            browser, is_large, file = self.browser(), n == self.large, self.path(f"map-{n}.html")
            goal = lambda target: target if is_large else None  # noqa: E731
            try:
                browser.open(f"file://{file}")
                opened = browser.run("return await bench.opened(LIMIT)")
                by = self.painted(browser)
                self.row("G5", "page" + by, "size", file.stat().st_size / 1e6, "MB", goal(30), points=n)
                self.row("G5", "page" + by, "ready", opened["ready"] / 1000, "s", goal(2.5), points=n, note="from the start of the navigation")
                browser.ask("HeapProfiler.collectGarbage")
                heap = browser.ask("Runtime.getHeapUsage")
                self.row("G5", "page" + by, "heap", (heap["usedSize"] + heap.get("backingStorageSize", 0)) / 1e6, "MB", goal(400), points=n, note="with the buffers of arrays")
                frames = browser.run("return await bench.frames(3)")
                drawn = f"{frames['rate']:.0f} frames/s, {frames['layersDrawn']} of 16 layers a frame; slowest 5% from {frames['slowest']:.1f} ms"
                self.row("G1", "page" + by, "frame while moving", frames["moving"], "ms", 16, points=n, note=drawn)
                self.row("G1", "page" + by, "complete frame", frames["complete"], "ms", 30, points=n, note="" if by else f"{frames['perChunk']} layers a chunk (0: in full floats)")
                self.row("G1", "page" + by, "complete after rest", frames["rest"], "ms", 100, points=n)
                hands = browser.run("return await bench.hands()")
                for figure, target in (("hover", 1), ("resize", 20), ("lasso", 100)):
                    self.row("G3", "page" + by, figure, hands[figure], "ms", target, points=n)
                self.picture(browser, f"map-{n}")
            finally:
                browser.close()

    # G2

    def view(self):
        n, browser = self.large, self.browser()
        began = time.monotonic()
        process, address = self.serve("view", f"map-{n}.npy", "--labels", f"labels-{n}.npy")
        try:
            started = time.monotonic() - began
            self.row("G2", "view", "address printed", started, "s", points=n)
            # At once, while the server puts the points in order, and when it has done so
            for case in ("view", "view, opened again"):
                browser.open("about:blank")
                browser.open(address)
                opened = browser.run("return await bench.opened(LIMIT)")
                by = self.painted(browser)
                self.row("G2", case, "first picture", opened["first"] / 1000, "s", 0.5, points=n, note=f"from the start of the navigation; of {opened['firstPoints']} points")
                self.row("G2", case + by, "complete", opened["complete"] / 1000, "s", 3, points=n)
        finally:
            process.terminate()
            process.wait()
            browser.close()

    # G6

    def graphs(self):
        for n in (self.small, self.large):
            browser, is_small = self.browser(), n == self.small
            try:
                browser.open(f"file://{self.path(f'long-{n}.html')}")
                opened = browser.run("return await bench.opened(LIMIT)")
                by = self.painted(browser)
                more = {"points": opened["points"], "edges": n, "note": f"{opened['edges']} edges in the file"}
                self.row("G6", "graph" + by, "ready", opened["ready"] / 1000, "s", **more)
                frames = browser.run("return await bench.frames(3)")
                self.row("G6", "graph" + by, "frame while moving", frames["moving"], "ms", 20, **{**more, "note": f"{frames['layersDrawn']} of 16 layers a frame; slowest 5% from {frames['slowest']:.1f} ms"})
                self.row("G6", "graph" + by, "complete after rest", frames["rest"], "ms", 200 if is_small else None, **more)
                self.row("G6", "graph" + by, "complete frame", frames["complete"], "ms", **more)
                self.picture(browser, f"graph-{n}")
            finally:
                browser.close()

    # G4

    def run_of(self, n):
        """Arguments of a run of t-SNE whose loop takes some seconds."""
        return ["tsne", f"points-{n}.npy", "--perplexity", "10", "--device", self.arguments.device, "--scores", "none", "--iterations", str(self.iterations(n))]

    def iterations(self, n):
        return self.arguments.iterations[n == self.large]

    def live(self):
        for n, target in ((self.small, 20), (self.large, 5)):
            browser = self.browser()
            process, address = self.serve(*self.run_of(n), "--watch", "-o", "watched.npy")
            try:
                browser.open(address)
                browser.run("await bench.opened(LIMIT)")
                by = self.painted(browser)
                browser.run("await bench.until(() => dunlin.live.contents > 0, LIMIT)")
                seen = self.numbers(browser.run("return bench.live()"))
                self.picture(browser, f"watch-{n}")
                self.row("G4", "watch" + by, "maps in the page", seen["rate"], "/s", target, most=False, points=n,
                         note=f"{seen['maps']} maps; script of a map {seen['script']:.1f} ms, from its last byte to its complete picture {seen['drawing']:.1f} ms")
            finally:
                process.kill()
                process.wait()
                browser.close()

    def cost(self):
        """A client takes all maps that it can have, another one as many as the target of maps in the page asks for."""
        self.renderer, all_ = "", float("inf")
        for n, target, wanted, pairs in zip((self.small, self.large), (3, 1), (20, 5), self.arguments.pairs):
            runs = {0: [], all_: [], wanted: []}  # maps a second: seconds of the loop, maps, bytes of the result
            for rate in list(runs) * pairs:
                runs[rate].append(watch_cost.measured(self.arguments.command, self.work, self.work / f"points-{n}.npy", self.iterations(n), rate > 0,
                                                      ["--perplexity", "10"], self.arguments.device, rate)[1:])
            plain, results = [seconds for seconds, _, _ in runs[0]], {result for some in runs.values() for _, _, result in some}
            for rate, case in ((all_, "watch, client without drawing"), (wanted, f"watch, client that takes {wanted} maps a second")):
                shares = [100 * (seconds / off - 1) for (seconds, _, _), off in zip(runs[rate], plain)]
                if not shares:
                    continue
                note = f"{pairs} pairs: {', '.join(f'{share:.2f}' for share in shares)}; loop {statistics.median(plain):.2f} s; bytes {'equal' if len(results) == 1 else 'differ'}"
                self.row("G4", case, "slowing of the loop", statistics.median(shares), "%", target, points=n, note=note)
                self.row("G4", case, "maps sent", statistics.median(maps / seconds for seconds, maps, _ in runs[rate]), "/s", points=n)

    # A vertex of a layout is dragged

    def drag(self):
        n, browser = self.small, self.browser()
        process, address = self.serve("layout", f"lattice-{n}.npz", "--device", self.arguments.device, "--scores", "none", "--watch", "-o", "layout.npy")
        try:
            browser.open(address)
            browser.run("await bench.opened(LIMIT); await bench.until(() => dunlin.steer.state.open && dunlin.steer.state.resting, LIMIT)")
            by = self.painted(browser)
            x, y = browser.run("return bench.handle()")
            if not browser.run(f"return dunlin.steer.grab({x}, {y}, true)"):
                raise RuntimeError("no vertex is where the pointer is")
            browser.run("dunlin.steer.grabbed = null; bench.forget()")
            browser.mouse("mouseMoved", x, y, CTRL)
            browser.mouse("mousePressed", x, y, CTRL)
            end, step = time.monotonic() + self.arguments.drag_seconds, 0
            while time.monotonic() < end:
                step += 1
                browser.mouse("mouseMoved", x + step, y + 40 * (step % 2), CTRL)
                time.sleep(1 / 30)
            browser.mouse("mouseReleased", x + step, y, CTRL)
            self.picture(browser, "drag")
            seen = self.numbers(browser.run("return bench.live()"))
            more = {"points": n, "edges": round(1.4 * n)}
            note = f"script of a map {seen['script']:.1f} ms, to its complete picture {seen['drawing']:.1f} ms; {step} moves of the pointer"
            self.row("drag", "layout" + by, "maps in the page", seen["rate"], "/s", 10, most=False, note=note, **more)
            self.row("drag", "layout" + by, "hand to picture", seen["latency"], "ms", 200, note=f"{seen['acts']} acts; slowest 5% from {seen['slowest']:.0f} ms", **more)
        finally:
            process.kill()
            process.wait()
            browser.close()

    def hand(self):
        """The same without a browser: to the map that comes."""
        self.renderer, n = "", self.small
        process, address = self.serve("layout", f"lattice-{n}.npz", "--device", self.arguments.device, "--scores", "none", "--watch", "-o", "layout.npy")
        try:
            rate, median, slowest, acts = hand.dragged(address, self.arguments.drag_seconds)
            more = {"points": n, "edges": round(1.4 * n)}
            self.row("drag", "layout, client without drawing", "maps sent", rate, "/s", 10, most=False, **more)
            self.row("drag", "layout, client without drawing", "hand to map", 1000 * median, "ms", 200, note=f"{acts} acts; slowest 5% from {1000 * slowest:.0f} ms", **more)
        finally:
            process.kill()
            process.wait()

    # G7

    def sums(self):
        """The picture by WebGPU, from whole numbers (bench/view/sums.js)."""
        for n in (self.small, self.large):
            browser = self.browser(more=self.webgpu)
            try:
                browser.open(f"file://{self.path(f'map-{n}.html')}")
                browser.run("await bench.opened(LIMIT)")
                browser.run((HERE / "sums.js").read_text())
                seen = browser.run(f"return await gpuSums({2 if self.arguments.software else 40}, {str(self.arguments.software).lower()})")
                if "swiftshader" in seen["adapter"] and not self.arguments.software:
                    raise RuntimeError(f"WebGPU is done in software ({seen['adapter']})")
                more = {"points": n, "note": f"{seen['adapter']}; the page's painter"}
                self.row("G7", "WebGPU", "frame", seen["frame"], "ms", 3, **{**more, "note": f"{more['note']}; mean of frames that follow one another; one alone, with its answer, {seen['alone']:.1f} ms"})
                self.row("G7", "WebGPU", "sums that differ from those in script", seen["different"], "", 0, **{**more, "note": f"of {seen['numbers']}; {seen['counted']} points on the page, up to {seen['most']} on a pixel"})
                self.row("G7", "WebGPU", "largest difference of a shade", seen["farthest"], "/255", 1, **{**more, "note": "from the law in double precision, not rounded"})
                self.row("G7", "WebGPU", "pixels within 1/255 of WebGL's", 100 * seen["like"], "%", **{**more, "note": "splats, as WebGL's" if seen["splat"] else "WebGL draws discs here"})
            finally:
                browser.close()

    # G9

    def peers(self):
        for n in (self.small, self.large):
            browser = self.browser()
            try:
                browser.open(f"file://{self.path(f'peer-{n}.html')}")
                opened, frames, hands = (browser.run(f"return await bench.{call}") for call in ("opened(LIMIT)", "frames(1)", "hands()"))
                self.compared("dunlin" + self.painted(browser), n, browser, opened["ready"], frames["complete"], hands["hover"], f"ready from the file; {frames['moving']:.1f} ms a frame while moving")
                self.picture(browser, f"dunlin-{n}")
            finally:
                browser.close()
            for peer in ("deck", "regl"):
                server, browser = peer_server(self.work, self.arguments.peers, n), self.browser(None)
                try:
                    browser.open(f"http://127.0.0.1:{server.server_port}/?peer={peer}&size=2&side={self.arguments.side}")
                    result = browser.run("while (!window.measure) await new Promise(resolve => setTimeout(resolve, 20)); return await measure(3)")
                    on = ", on Vulkan" if self.arguments.painter == "webgpu" else ""
                    self.compared({"deck": "deck.gl", "regl": "regl-scatterplot"}[peer] + on, n, browser, result["ready"], result["frame"], result["hover"],
                                  f"ready from arrays in memory; {result['frames']} frames")
                    self.picture(browser, f"{peer}-{n}")
                except (RuntimeError, ConnectionError) as error:
                    self.row("G9", peer, "failed", str(error).split("\n")[0][:200], "", points=n)
                finally:
                    browser.close()
                    server.shutdown()

    def compared(self, system, n, browser, ready, frame, hover, note):
        browser.ask("HeapProfiler.collectGarbage")
        heap = browser.ask("Runtime.getHeapUsage")
        for figure, value, unit in (("ready", ready / 1000, "s"), ("complete frame", frame, "ms"), ("hover", hover, "ms"),
                                    ("heap", (heap["usedSize"] + heap.get("backingStorageSize", 0)) / 1e6, "MB")):
            self.row("G9", system, figure, value, unit, points=n, note=note if figure in ("ready", "complete frame") else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=["prepare", "runs", "pages", "view", "graphs", "live", "cost", "drag", "hand", "peers", "sums", "soak", "script"])
    parser.add_argument("--command", default="dunlin")
    parser.add_argument("--chromium", default="chromium-headless-shell")
    parser.add_argument("--work", type=Path, default=Path("viewer-bench"), help="folder of inputs and pages")
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--device", default="cuda", help="of the runs")
    parser.add_argument("--machine", default="", help="name of the graphics card, for the rows")
    parser.add_argument("--commit", default="", help="for the rows")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the pages")
    parser.add_argument("--software", action="store_true", help="allow drawing in software")
    parser.add_argument("--header", action="store_true", help="print the names of the columns first")
    parser.add_argument("--small", type=int, default=1000000, help="points where 1 million are asked for")
    parser.add_argument("--large", type=int, default=10000000, help="points where 10 million are asked for")
    parser.add_argument("--iterations", type=int, nargs=2, default=[20000, 3000], help="of the runs of the small and the large number of points")
    parser.add_argument("--pairs", type=int, nargs=2, default=[3, 2], help="of runs with and without a client, of the small and the large number of points")
    parser.add_argument("--side", type=int, default=1200, help="of the page, pixels")
    parser.add_argument("--drag-seconds", type=float, default=6)
    parser.add_argument("--script-seconds", type=float, default=6, help="of the profile of the page's thread")
    parser.add_argument("--soak-maps", type=int, default=36000, help="an hour at 10 a second")
    parser.add_argument("--soak-seconds", type=float, default=480, help="most seconds of these maps")
    parser.add_argument("--painter", choices=["webgl", "webgpu"], default="webgl", help="what draws the pages")
    parser.add_argument("--webgpu", default="", help="flags of the browser in place of those for WebGPU on Vulkan")
    parser.add_argument("--seconds", type=int, default=180, help="limit for a part")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    arguments.work, arguments.command = arguments.work.resolve(), str(Path(arguments.command).resolve()) if "/" in arguments.command else arguments.command
    bench, failed = Bench(arguments), 0

    def late(*_):
        raise TimeoutError(f"not done within {arguments.seconds} s")
    signal.signal(signal.SIGALRM, late)
    for part in arguments.parts:
        began = time.monotonic()
        signal.alarm(arguments.seconds)
        try:
            getattr(bench, part)()
        except Exception:  # the other parts go on
            failed = 1
            traceback.print_exc()
        signal.alarm(0)
        print(f"{part}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
