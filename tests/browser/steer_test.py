# SPDX-License-Identifier: Apache-2.0
"""Runs that are steered by a page, and repeated from their log. DUNLIN_COMMAND names the command."""

import json
import pathlib
import tempfile
import time
import unittest

import live_test
from browser import Browser
from live_test import DIGITS, Run, coordinates


class Steered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    js, command = live_test.Live.js, live_test.Live.command

    def watch(self, *arguments):
        run = Run(self.folder, *arguments)
        self.addCleanup(lambda: run.process.poll() is None and run.stop())
        self.browser.size(1000, 800)
        self.browser.open(run.url)
        self.browser.until("return dunlin.live.maps > 0 && !document.getElementById('steer').hidden")
        return run

    def click(self, name):
        self.js("dunlin.steer.buttons[arguments[0]].click()", name)

    def acts(self, log):
        return [act["act"] for act in json.loads(log.read_text())["steering"]]

    def test_a_run_that_is_stopped_has_written_its_outputs(self):
        output = self.folder / "stopped.csv"
        run = self.watch("umap", DIGITS, "--iterations", 100000, "--device", "cpu", "-o", output)
        self.click("stop")
        run.wait_for(output)
        self.browser.driver.get("about:blank")
        self.assertEqual(run.left(), 0)
        self.assertEqual(len(coordinates(output)), 1797)
        self.assertEqual(self.acts(self.folder / "digits.log.json"), ["stop"])

    def test_layouts_stay_warm_and_are_written_on_save_and_on_leaving(self):
        edges = self.folder / "grid.txt"
        edges.write_text("".join(f"{i} {i + 1}\n" for i in range(399) if i % 20 != 19) + "".join(f"{i} {i + 20}\n" for i in range(380)))
        output, log = self.folder / "grid.csv", self.folder / "grid.log"
        run = Run(self.folder, "layout", edges, "--device", "cpu", "--scores", "none", "-o", output, "--log", log)
        self.addCleanup(lambda: run.process.poll() is None and run.stop())
        run.wait_for(log)
        first = output.read_bytes()
        self.browser.size(1000, 800)
        self.browser.open(run.url)
        self.browser.until("return dunlin.steer.hand.resting")
        self.browser.whole()
        corner = self.js("return dunlin.scene.cloud.rows.indexOf(0)")
        before = self.js("return dunlin.scene.coordinates(dunlin.scene.cloud.rows.indexOf(21))")
        x, y = self.js("return dunlin.scene.pixel(arguments[0])", corner)
        self.click("drag")
        self.browser.drag([(x, y), (x + 100, y + 50), (x + 200, y + 100)])
        self.browser.until("return dunlin.live.maps > 3 && dunlin.steer.hand.resting && dunlin.steer.hand.acts >= 2")
        after = self.js("return dunlin.scene.coordinates(dunlin.scene.cloud.rows.indexOf(21))")
        self.assertNotEqual(before, after)
        self.click("save")
        end = time.monotonic() + 60
        while output.read_bytes() == first:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.browser.until("return dunlin.steer.hand.resting")
        self.browser.driver.get("about:blank")
        self.assertEqual(run.left(30), 0)
        again = self.folder / "grid-again.csv"
        self.command("layout", edges, "--device", "cpu", "--scores", "none", "--threads", 1, "--steer", log, "-o", again)
        self.assertEqual(again.read_bytes(), output.read_bytes())

    def test_logs_that_do_not_fit_are_refused(self):
        wrong = self.folder / "wrong.json"
        for text, sentence in (("{", "has no list"), ("[]", "has no list"), ('{"steering": [{"act": "fly", "pass": 0, "iteration": 1}]}', "act 0: 'fly' is no act"),
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
