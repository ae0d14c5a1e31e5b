# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through its DevTools protocol. Only Python's own library is used."""

import base64
import collections
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from web_socket import WebSocket

FLAGS = ["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--enable-gpu", "--hide-scrollbars",
         "--disable-background-networking", "--disable-gpu-watchdog", "--disable-dev-shm-usage", "--enable-precise-memory-info",
         "--remote-debugging-port=0", "--js-flags=--max-old-space-size=16384"]

RENDERER = """const gl = document.createElement('canvas').getContext('webgl2'), info = gl?.getExtension('WEBGL_debug_renderer_info');
return gl ? gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : 'no WebGL 2'"""


class Chromium:
    """A browser with one page."""

    def __init__(self, program, side=1200, more=(), seconds=60):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.serial, self.problems = 0, []
        command = [program, *FLAGS, *more, f"--window-size={side},{side}", f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                        env={**os.environ, "EGL_PLATFORM": "surfaceless"})
        try:
            port = self.port(seconds)
            targets = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
            page = next(target for target in targets if target["type"] == "page")
            self.socket = WebSocket("127.0.0.1", port, page["webSocketDebuggerUrl"].split(str(port), 1)[1])
            for domain in ("Page", "Runtime"):
                self.ask(f"{domain}.enable")
            # A page without focus draws no frames
            self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
            self.renderer = self.run(RENDERER)
        except BaseException:
            self.close()
            raise

    def port(self, seconds):
        path, end = Path(self.profile.name) / "DevToolsActivePort", time.monotonic() + seconds
        while not path.exists() or not path.read_text().strip():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError(f"the browser did not start (exit code {self.process.poll()})")
            time.sleep(0.02)
        return int(path.read_text().split()[0])

    @property
    def is_software(self):
        return re.search("llvmpipe|SwiftShader|softpipe|no WebGL", self.renderer) is not None

    def ask(self, method, **parameters):
        """The result of a command of the protocol; errors of the page are kept in `problems`."""
        self.serial += 1
        self.socket.send(json.dumps({"id": self.serial, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive()[1])
            if message.get("id") == self.serial:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description") or details["text"])
            if message.get("method") == "Inspector.targetCrashed":
                raise RuntimeError("the page has crashed")

    def run(self, body):
        """The value of an async function with this body."""
        result = self.ask("Runtime.evaluate", expression=f"(async () => {{{body}}})()", awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError((details.get("exception", {}).get("description") or details["text"]) + "".join(f"; {problem}" for problem in self.problems))
        return result["result"].get("value")

    def before(self, script):
        """A script that each page runs before its own."""
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, url):
        self.problems.clear()
        self.ask("Page.navigate", url=url)

    def mouse(self, kind, x, y, modifiers=0):
        button = "none" if kind == "mouseMoved" and not self.pressed else "left"
        self.pressed = kind != "mouseReleased" and (self.pressed or kind == "mousePressed")
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, modifiers=modifiers, button=button, buttons=int(button == "left"), clickCount=1)

    pressed = False

    def picture(self, path):
        Path(path).write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def memory(self):
        """Resident bytes of all processes of the browser, each of shared pages by its share where the system tells that."""
        total, group = 0, os.getpgid(self.process.pid)
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.getpgid(int(process.name)) == group:
                    total += 1024 * int(re.search(r"^Pss:\s+(\d+)", (process / "smaps_rollup").read_text(), re.MULTILINE)[1])
            except (OSError, TypeError):  # it has ended, or is another user's
                continue
        return total

    def profiled(self, seconds):
        """Milliseconds of the page's thread by function, idle time left out, and seconds that have passed."""
        self.ask("Profiler.enable")
        self.ask("Profiler.setSamplingInterval", interval=500)
        self.ask("Profiler.start")
        time.sleep(seconds)
        profile = self.ask("Profiler.stop")["profile"]
        names, times = {node["id"]: node["callFrame"]["functionName"] or "(unnamed)" for node in profile["nodes"]}, collections.Counter()
        for node, microseconds in zip(profile["samples"], profile["timeDeltas"]):
            times[names[node]] += microseconds / 1000
        del times["(idle)"]
        return times, (profile["endTime"] - profile["startTime"]) / 1e6

    def close(self):
        for end in (signal.SIGTERM, signal.SIGKILL):  # the program may be a script that starts the browser
            try:
                os.killpg(self.process.pid, end)
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        self.profile.cleanup()
