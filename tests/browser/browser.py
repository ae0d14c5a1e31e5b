# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that draws with Mesa's software OpenGL, and pictures as rows of bytes."""

import base64
import json
import os
import pathlib
import struct
import tempfile
import time
import unittest
import zlib

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = [
    "--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--enable-gpu",
    "--hide-scrollbars", "--disable-background-networking", "--disable-dev-shm-usage",
    "--disable-gpu-watchdog",  # else software OpenGL on a busy machine is taken for a GPU that hangs
]


class Browser:
    def __init__(self, flags=()):
        os.environ["EGL_PLATFORM"] = "surfaceless"  # no X server
        options = Options()
        # Not Debian's script around the program: the driver would end the script only, and the program would stay
        for path in ("/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"):
            if os.path.exists(path):
                options.binary_location = path
                break
        for flag in (*FLAGS, *flags):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(120)

    def close(self):
        self.driver.quit()

    def size(self, width, height):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def media(self, **features):
        names = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": names})

    def open(self, url, seconds=60):
        """Opens a page and waits until all its points are drawn, or until it says why it cannot show them."""
        self.logs("performance")
        self.driver.get(url)
        done = "return document.getElementById('wait')?.className === 'failed' || window.dunlin?.pace.complete === true"
        self.until(done, seconds)

    def until(self, condition, seconds=180):
        end = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {condition}; {self.errors()}")
            time.sleep(0.02)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        """The value of an async function with this body."""
        body = "const done = arguments[arguments.length - 1]; (async (...args) => {%s})(...arguments).then(done, e => done({error: String(e.stack || e)}))"
        value = self.driver.execute_async_script(body % script, *arguments)
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(value["error"])
        return value

    def whole(self):
        """Waits until all points are drawn."""
        self.run_async("await new Promise(requestAnimationFrame); await dunlin.pace.whole(); await new Promise(requestAnimationFrame); return 1")

    def logs(self, kind):
        return self.driver.get_log(kind)

    def errors(self):
        """What the console has, but that Chromium says itself when a page asks for WebGPU and there is none."""
        messages = [entry["message"] for entry in self.logs("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [message for message in messages if not message.endswith(" No available adapters.")]

    def requests(self):
        """Addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.logs("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def pixels(self):
        return decode(self.driver.get_screenshot_as_png())

    def key(self, key, code=None, text=None, **more):
        """Presses a key as a keyboard does: the focused element gets it."""
        event = {"key": key, "code": code or key, **more}
        if text:
            event["text"] = text
        if key == "Tab":
            event["windowsVirtualKeyCode"] = 9
        if key == "Enter":
            event.update(windowsVirtualKeyCode=13, text="\r")
        if key == "Escape":
            event["windowsVirtualKeyCode"] = 27
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def move_cross(self, across, down):
        """Moves the cross of the keyboard by so many pixels, with a lasso or while points are dragged."""
        for pixels, keys in ((across, ("ArrowLeft", "ArrowRight")), (down, ("ArrowUp", "ArrowDown"))):
            for _ in range(abs(pixels) // 10):
                self.key(keys[pixels > 0])
            for _ in range(abs(pixels) % 10):
                self.key(keys[pixels > 0], modifiers=8)

    def mouse(self, kind, x, y, **more):
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, **more}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def drag(self, corners, **more):
        self.mouse("mousePressed", *corners[0], **more)
        for corner in corners[1:]:
            self.mouse("mouseMoved", *corner, **more)
        self.mouse("mouseReleased", *corners[-1], **more)


class BrowserCase(unittest.TestCase):
    """Tests that share a browser, with these flags, and a folder, which is removed after them."""

    flags = ()

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.browser = Browser(cls.flags)
        cls.addClassCleanup(cls.browser.close)

    def js(self, script, *arguments):
        return self.browser.run(script, *arguments)


def decode(png):
    """Rows of RGB bytes of a PNG of 8 bits per channel without interlacing."""
    if isinstance(png, str):
        png = base64.b64decode(png)
    at, data, width, channels = 8, b"", 0, 3
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        chunk = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert depth == 8 and interlaced == 0 and color in (2, 6), (depth, color)
            channels = 4 if color == 6 else 3
        data += chunk if kind == b"IDAT" else b""
        at += 12 + length
    return unfiltered(zlib.decompress(data), width, channels)


def unfiltered(raw, width, channels):
    stride, rows, before = width * channels, [], bytearray(width * channels)
    for start in range(0, len(raw), stride + 1):
        filtered, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride if filtered else 0):
            left, up = line[i - channels] if i >= channels else 0, before[i]
            corner = before[i - channels] if i >= channels else 0
            if filtered == 1:
                guess = left
            elif filtered == 2:
                guess = up
            elif filtered == 3:
                guess = (left + up) // 2
            else:
                p = left + up - corner
                guess = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            line[i] = (line[i] + guess) & 255
        rows.append(bytes(line) if channels == 3 else bytes(b for i in range(0, stride, 4) for b in line[i:i + 3]))
        before = line
    return rows
