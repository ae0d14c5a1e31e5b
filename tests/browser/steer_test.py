# SPDX-License-Identifier: Apache-2.0
"""Runs that are steered by a page, and repeated from their log. DUNLIN_COMMAND names the command."""

import json
import time
import unittest

import live_test
from browser import BrowserCase
from live_test import DIGITS, ENDLESS, Run, coordinates


class Steered(BrowserCase):
    command = live_test.Live.command

    def start(self, *arguments):
        run = Run(self.folder, *arguments, "--device", "cpu")
        self.addCleanup(lambda: run.process.poll() is None and run.stop())
        return run

    def open(self, run):
        self.browser.errors()
        self.browser.size(1000, 800)
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps > 0 && !document.getElementById('steer').hidden")

    def click(self, name):
        self.js("dunlin.steer.buttons[arguments[0]].click()", name)

    def until(self, condition):
        """The state of the run is so, and the page has drawn the map of its iteration."""
        self.browser.until("const s = dunlin.steer.state; return dunlin.live.iterations.at(-1) === s.iteration && (%s)" % condition)
        self.browser.whole()

    def pixel(self, row):
        """Where a point is on the page, once it is there."""
        return self.js("const s = dunlin.scene; return s.pixel(s.cloud.rows.indexOf(arguments[0])).map(Math.round)", row)

    def place(self, row):
        return self.js("const s = dunlin.scene; return s.coordinates(s.cloud.rows.indexOf(arguments[0]))", row)

    def row_at(self, x, y):
        """The point nearest to a pixel."""
        return self.js("return dunlin.scene.cloud.rows[dunlin.pointAt(dunlin.scene, arguments[0], arguments[1], 1000)]", x, y)

    def unit(self):
        """Units of the map in a pixel."""
        return self.js("const s = dunlin.scene; return s.cloud.step / s.view.scale")

    def until_near(self, row, wanted):
        """The point is there, to within the rounding of a shown place, now and when it was grabbed."""
        self.browser.until("const s = dunlin.scene, at = s.coordinates(s.cloud.rows.indexOf(%d)); "
                           "return at.every((v, axis) => Math.abs(v - %s[axis]) < 2.5 * s.cloud.step)" % (row, json.dumps(wanted)))

    def step(self):
        """One iteration; returns how many there were."""
        after = self.js("dunlin.steer.buttons.step.click(); return dunlin.steer.state.iteration") + 1
        self.until(f"s.iteration === {after}")
        return after

    def choose(self, *rows):
        """Selects points."""
        self.js("const s = dunlin.scene; s.select(Uint8Array.from(s.cloud.rows, row => +arguments[0].includes(row)))", rows)

    def leave(self, run):
        self.assertEqual(self.browser.errors(), [])
        self.browser.driver.get("about:blank")
        self.assertEqual(run.left(), 0)

    def logged(self, log):
        return json.loads(log.read_text())["steering"]

    def test_every_act_is_done_and_the_log_repeats_the_bytes(self):
        output, log = self.folder / "all.csv", self.folder / "all.json"
        arguments = ["tsne", DIGITS, "--iterations", 100000, "--tolerance", 0, "--scores", "none"]
        run = self.start(*arguments, "-o", output, "--log", log)
        run.pause()
        self.open(run)
        # A paused run has no iterations
        self.until("s.paused")
        before = self.js("return dunlin.steer.state.iteration")
        time.sleep(1)
        self.assertEqual(self.step(), before + 1)
        # A slider
        self.js("const {slider} = dunlin.steer.sliders.find(({field}) => field.name === 'momentum'); slider.value = 0; slider.dispatchEvent(new Event('input'))")
        self.until("s.acts === 1")
        self.assertLess(abs(self.js("return dunlin.steer.state.fields.find(({name}) => name === 'momentum').value") - 0.5), 1e-6)
        # A dragged point follows the pointer, and is free afterwards
        x, y = self.pixel(self.row_at(500, 400))
        row = self.row_at(x, y)
        before, unit = self.place(row), self.unit()
        self.browser.drag([(x, y), (x + 60, y), (x + 120, y - 50)], modifiers=2)
        self.browser.until("return dunlin.steer.sending === 0")
        self.until_near(row, [before[0] + 120 * unit, before[1] + 50 * unit])
        self.step()
        # So does one that is dragged by keys
        x, y = self.pixel(self.row_at(500, 400))
        row = self.row_at(x, y)
        before, unit = self.place(row), self.unit()
        self.browser.key("m", text="m")
        self.browser.move_cross(x - 500, y - 400)
        self.browser.key("Enter")
        self.assertEqual(self.js("return dunlin.steer.grabbed.row"), row)
        # After a zoom a pixel is as many units as it is then
        self.browser.move_cross(-20, 34)
        self.browser.key("+", text="+")
        self.browser.move_cross(-45, 0)
        self.browser.key("Enter")
        self.assertIsNone(self.js("return dunlin.steer.grabbed"))
        self.browser.until("return dunlin.steer.sending === 0")
        self.until_near(row, [before[0] - 50 * unit, before[1] - 34 * unit])
        self.browser.key("0", text="0")
        # Escape puts it back; M and a button that gets the focus let go
        for ending, there in (({"key": "Escape"}, False), ({"key": "m", "text": "m"}, True), ({"key": "Tab"}, True)):
            if not self.js("return dunlin.steer.dragging"):
                self.browser.key("m", text="m")
            x, y = self.pixel(row)
            self.js("document.getElementById('map').focus()")
            cross = self.js("const at = dunlin.overlay.cross || {x: innerWidth / 2, y: innerHeight / 2}; return [at.x, at.y]")
            self.browser.move_cross(round(x - cross[0]), round(y - cross[1]))
            self.browser.key("Enter")
            row = self.js("return dunlin.steer.grabbed.row")
            before = self.place(row)
            self.browser.move_cross(0, 60)
            self.browser.key(**ending)
            self.assertIsNone(self.js("return dunlin.steer.grabbed"))
            self.browser.until("return dunlin.steer.sending === 0")
            self.until_near(row, [before[0], before[1] - 60 * self.unit() * there])
            self.assertEqual(self.js("return dunlin.scene.pinned.length"), 0)
        self.step()
        # Pinned points stay, also while the others move
        held, other, free = (self.row_at(x, y) for x, y in ((400, 300), (550, 350), (450, 450)))
        self.choose(held, other)
        acts = self.js("return dunlin.steer.state.acts")
        self.click("pin")
        self.until(f"s.acts === {acts + 1}")
        pinned, before = self.place(held), self.place(free)
        self.browser.until("return dunlin.scene.pinned.length === 2")
        for _ in range(5):
            self.step()
        self.until_near(held, pinned)
        self.assertNotEqual(self.place(free), before)
        # A selection is shifted
        x, y = self.pixel(held)
        self.choose(held, self.row_at(x, y))
        unit = self.unit()
        self.browser.drag([(x, y), (x + 30, y + 40)], modifiers=2)
        self.until(f"s.acts === {acts + 2}")
        self.until_near(held, [pinned[0] + 30 * unit, pinned[1] - 40 * unit])
        self.click("free")
        self.until(f"s.acts === {acts + 3}")
        self.click("restart")
        self.until(f"s.acts === {acts + 4} && s.iteration === 0")
        self.assertEqual(self.step(), 1)
        self.click("pause")
        self.browser.until("return dunlin.steer.state.iteration > 20")
        self.click("finish")
        self.browser.until("return dunlin.live.contents > 0")
        run.wait_for(log)
        self.leave(run)
        kinds = [act["act"] for act in self.logged(log)]
        self.assertEqual(kinds[0], "set")
        self.assertEqual([kind for kind in kinds if kind != "set"][-6:], ["free", "pin", "nudge", "free", "restart", "finish"])
        for threads in 1, 2:
            again = self.folder / f"again-{threads}.csv"
            self.command(*arguments, "--device", "cpu", "--threads", threads, "--steer", log, "-o", again)
            self.assertEqual(again.read_bytes(), output.read_bytes())

    def test_a_run_that_is_stopped_has_written_its_outputs(self):
        output = self.folder / "stopped.csv"
        run = self.start("umap", DIGITS, "--iterations", ENDLESS, "-o", output)
        self.open(run)
        self.click("stop")
        run.wait_for(output)
        self.leave(run)
        self.assertEqual(len(coordinates(output)), 1797)
        self.assertEqual([act["act"] for act in self.logged(self.folder / "digits.log.json")], ["stop"])

    def test_layouts_stay_warm_and_are_written_on_save_and_on_leaving(self):
        edges = self.folder / "grid.txt"
        edges.write_text("".join(f"{i} {i + 1}\n" for i in range(399) if i % 20 != 19) + "".join(f"{i} {i + 20}\n" for i in range(380)))
        output, log = self.folder / "grid.csv", self.folder / "grid.log"
        arguments = ["layout", edges, "--scores", "none"]
        run = self.start(*arguments, "-o", output, "--log", log)
        run.wait_for(log)
        first = output.read_bytes()
        self.open(run)
        self.until("s.resting")
        # The map that rests is that of the file, in its units
        written, step = coordinates(output), self.js("return dunlin.scene.cloud.step")
        self.assertLess(max(abs(a - b) for row in (0, 21, 399) for a, b in zip(self.place(row), written[row])), 0.01 + step)
        # Neighbors are known as long as the map is that which was written
        neighbors = "const answer = await dunlin.link.ask({ask: 'point', place: 0}); return answer.error || answer.neighbors.length"
        self.assertEqual(self.browser.run_async(neighbors), 10)
        before = self.place(21)
        x, y = self.pixel(0)
        toward = (x + (100 if x < 500 else -100), y + (50 if y < 400 else -50))
        self.click("drag")
        self.browser.drag([(x, y), toward])
        self.browser.until("return dunlin.steer.sending === 0")
        self.until("s.resting && s.acts >= 2")
        self.assertNotEqual(before, self.place(21))
        self.assertIn("the map has moved", self.browser.run_async(neighbors))
        contents = self.js("dunlin.steer.buttons.save.click(); return dunlin.live.contents")
        self.until(f"s.resting && dunlin.live.contents > {contents}")
        second = output.read_bytes()
        self.assertNotEqual(second, first)
        self.assertEqual(self.browser.run_async(neighbors), 10)
        # What is done after it is written on leaving
        acts = self.js("return dunlin.steer.state.acts")
        self.js("dunlin.steer.send({act: 'nudge', places: [dunlin.scene.cloud.rows.indexOf(0)], by: [0.5, 0.5]})")
        self.until(f"s.resting && s.acts > {acts}")
        self.leave(run)
        self.assertNotEqual(output.read_bytes(), second)
        again = self.folder / "grid-again.csv"
        self.command(*arguments, "--device", "cpu", "--threads", 1, "--steer", log, "-o", again)
        self.assertEqual(again.read_bytes(), output.read_bytes())

    def test_logs_that_do_not_fit_are_refused(self):
        wrong = self.folder / "wrong.json"
        for text, sentence in (("{", "is no JSON, or not whole"), ("[]", "has no list"), ('{"steering": [{"act": "fly", "pass": 0, "iteration": 1}]}', "act 0: 'fly' is no act"),
                               ('{"steering": [{"act": "set", "pass": 0, "iteration": 1}]}', "act 0"), ('{"steering": [{"act": "pin", "pass": 0}]}', "act 0")):
            wrong.write_text(text)
            self.assertIn(sentence, self.command("tsne", DIGITS, "--steer", wrong, "--iterations", 10, code=3))
        self.assertIn("cannot open", self.command("tsne", DIGITS, "--steer", self.folder / "absent.json", code=3))
        wrong.write_text('{"steering": [{"act": "pin", "pass": 0, "iteration": 5, "points": [99999]}]}')
        self.assertIn("there is no point 99999", self.command("tsne", DIGITS, "--steer", wrong, "--iterations", 10, code=2))
        wrong.write_text('{"steering": [{"act": "finish", "pass": 0, "iteration": 50}]}')
        self.assertIn("1 acts", self.command("tsne", DIGITS, "--steer", wrong, "--iterations", 10, "--scores", "none", "-o", self.folder / "short.csv"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
