# SPDX-License-Identifier: Apache-2.0
"""Parts of bench/viewer_gpu.py whose page has maps that are sent again and again (replay.py)."""

import contextlib
import statistics
import time

from replay import Kept, Replay


@contextlib.contextmanager
def repeating(browser, process, address, replay_of):
    """The page of an address, whose socket leads to a Replay. At the end the browser and the process have ended."""
    replay = None
    try:
        replay = replay_of()
        replay.start()
        browser.ask("Page.setBypassCSP", enabled=True)
        browser.before("{ const Socket = WebSocket; window.WebSocket = class extends Socket { constructor(_, names) { super('ws://127.0.0.1:%d/socket', names); } }; }" % replay.port)
        browser.open(address)
        browser.run("await bench.opened(LIMIT)")
        yield replay
    finally:
        process.kill()
        process.wait()
        if replay:
            replay.close()
        browser.close()


class Repeated:
    """Parts of Bench."""

    # G8

    def soak(self):
        """An hour of a run of 100,000 points at 10 maps a second, in less: its maps come as fast as the page draws them."""
        n, browser = self.small // 10, self.browser(more=("--disable-frame-rate-limit", "--disable-gpu-vsync"))
        if not self.path(f"points-{n}.npy").exists():
            self.make(("points", n))
        process, address = self.serve("tsne", f"points-{n}.npy", "--device", self.arguments.device, "--scores", "none", "--iterations", "100000000", "--watch", "-o", "soak.npy")

        def memory():
            """Megabytes of the script's heap without the film, which has a limit of its own; of the film; of all processes."""
            browser.ask("HeapProfiler.collectGarbage")
            usage, film = browser.ask("Runtime.getHeapUsage"), browser.run("return [...new Set(dunlin.live.film.maps.map(map => map.places.buffer))].reduce((sum, buffer) => sum + buffer.byteLength, 0)")
            return (usage["usedSize"] + usage.get("backingStorageSize", 0) - film) / 1e6, film / 1e6, browser.memory() / 1e6
        with repeating(browser, process, address, lambda: Replay(Kept(address, 40), self.arguments.soak_maps, self.arguments.soak_seconds)) as replay:
            process.kill()
            while replay.is_alive() and replay.drawn < self.arguments.soak_maps // 18:  # buffers and compiled code are as many as they will be
                time.sleep(0.1)
            warm, seen = replay.drawn, [memory()]
            while replay.is_alive():
                replay.join(self.arguments.soak_seconds / 100)
                seen.append(memory())
            if replay.failed:
                raise RuntimeError(replay.failed)
            part = max(len(seen) // 8, 1)
            heaps, films, processes = zip(*seen)
            growth = lambda values: statistics.median(values[-part:]) - statistics.median(values[:part])  # noqa: E731
            note = f"medians of the first and the last {part} of {len(seen)} readings after {warm} maps; of {statistics.median(heaps[:part]):.1f} MB; at most {max(heaps):.1f}; the film has up to {max(films):.0f} MB besides"
            self.row("G8", "watch, maps of a run repeated", "maps", replay.drawn, "", self.arguments.soak_maps, most=False, points=n, note=f"in {replay.took:.0f} s: {replay.drawn / replay.took:.1f}/s, each acknowledged when a complete picture of it, or of a newer one, is drawn; frames are not limited to 60/s")
            self.row("G8", "watch, maps of a run repeated", "growth of the heap", growth(heaps), "MB", 20, points=n, note=note)
            self.row("G8", "watch, maps of a run repeated", "growth of the browser's processes", growth([whole - film for whole, film in zip(processes, films)]), "MB", points=n,
                     note=f"resident, without the film; at first {processes[0]:.0f} MB, at most {max(processes):.0f}")
            self.picture(browser, "soak")

    def script(self):
        """What a page's own thread does for a map of a run. There is no run: maps come as fast as the page draws them."""
        from shaken import Shaken  # needs NumPy
        for n in (self.small, self.large):
            browser = self.browser()
            process, address = self.serve("view", f"map-{n}.npy", "--labels", f"labels-{n}.npy")
            shaken = lambda: Replay(Shaken(address, self.path(f"map-{n}.npy")), 10**9, self.arguments.seconds)  # noqa: B023, E731
            with repeating(browser, process, address, shaken) as replay:
                browser.run("await bench.until(() => dunlin.live.maps >= 3, LIMIT)")
                by, before = self.painted(browser), browser.run("return dunlin.live.maps")
                times, seconds = browser.profiled(self.arguments.script_seconds)
                maps = browser.run("return dunlin.live.maps") - before
                if replay.failed or maps < 2:
                    raise RuntimeError(replay.failed or f"{maps} maps came")
                note = ", ".join(f"{name} {time_ / maps:.1f}" for name, time_ in times.most_common(8))
                self.row("G4", "watch, maps without a run" + by, "maps in the page", maps / seconds, "/s", points=n, note=f"{maps} maps")
                self.row("G4", "watch, maps without a run" + by, "thread of the page", sum(times.values()) / maps, "ms", points=n, note=f"a map, by a profile; {note}")
