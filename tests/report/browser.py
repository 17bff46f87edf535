# SPDX-License-Identifier: MIT
"""Headless Chromium through chromedriver (WebDriver), and TAP."""
import json
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request


class Browser:
    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.await_driver()
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage",
                            "--hide-scrollbars",
                            "--window-size=1300,1000"]}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += f"/session/{made['sessionId']}"

    def await_driver(self):
        for _ in range(100):
            try:
                self.call("GET", "/status")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise SystemExit("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"},
            method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script, *args):
        return self.call("POST", "/execute/sync",
                         {"script": script, "args": list(args)})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])"
                        ".textContent", selector)

    def find(self, selector):
        found = self.call("POST", "/element", {"using": "css selector",
                                               "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def keys(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value",
                  {"text": text})

    def open(self, page):
        """Opens a page and waits until all of it is drawn."""
        self.call("POST", "/url", {"url": pathlib.Path(page).resolve()
                                   .as_uri()})
        for _ in range(600):
            if self.run("return document.documentElement.dataset.ready"):
                return
            time.sleep(0.05)
        raise SystemExit(f"{page}: not drawn within 30 s")

    def resize(self, width, height):
        """The size of the page, in CSS pixels."""
        self.call("POST", "/goog/cdp/execute", {
            "cmd": "Emulation.setDeviceMetricsOverride",
            "params": {"width": width, "height": height, "deviceScaleFactor": 1,
                       "mobile": width < 600}})

    def console(self):
        """Its errors and warnings since the last call."""
        lines = self.call("POST", "/se/log", {"type": "browser"})
        return [line["message"] for line in lines
                if line["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = False

    def check(self, name, good, seen=""):
        self.count += 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        if not good:
            self.failed = True
            print(f"# saw: {seen}")

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}")

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0
