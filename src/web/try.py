"""Tries the site of `src/web/build` in headless Chromium: opens a design, draws, solves live, sweeps, saves by download, recovers what wasn't.

    python3 -m venv .venv && .venv/bin/pip install playwright        # and a Chromium: `apt-get install chromium`
    .venv/bin/python src/web/try.py SITE [PICTURES]                   # SITE: the folder that `src/web/build` made

What a page downloads is compared with what the command line says of the same design (`target/release/stokeslet`, or `STOKESLET`).
"""

import csv
import functools
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from playwright.sync_api import Error, sync_playwright

SIZE = {"width": 1280, "height": 800}
# Where the canvas of the window is free of panels.
MIDDLE = (560, 420)
# Where the panel Study has its buttons to run a sweep and to copy its table.
RUN, COPY = (459, 712), (791, 666)
VALUES = 11


def serve(site):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Tried:
    """A page, what it said to the console, and what it downloaded."""

    def __init__(self, browser, address, pictures):
        self.page = browser.new_page(viewport=SIZE, accept_downloads=True, permissions=["clipboard-read", "clipboard-write"])
        self.pictures, self.errors, self.downloads = pictures, [], {}
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.hear)
        self.page.on("download", self.keep)
        self.page.goto(address)
        self.page.wait_for_selector("#told", state="detached", timeout=60_000)
        self.page.wait_for_timeout(1500)

    def hear(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def keep(self, download):
        try:
            self.downloads[download.suggested_filename] = pathlib.Path(download.path()).read_bytes()
        except Error:
            pass  # The page was left before the last of many was there.

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(150)

    def draw(self, *places):
        """A channel through places of the page."""
        self.press("c")
        for place in places:
            self.page.mouse.click(*place)
            self.page.wait_for_timeout(600)
        self.press("Enter", "Escape")

    def shot(self, name):
        if self.pictures:
            self.page.screenshot(path=str(pathlib.Path(self.pictures) / f"{name}.png"))

    def wait_for(self, name, seconds=60):
        for _ in range(10 * seconds):
            if name in self.downloads:
                return self.downloads[name].decode()
            self.page.wait_for_timeout(100)
        raise AssertionError(f"no {name}; downloaded: {sorted(self.downloads)}; said: {self.errors}")

    def kept(self):
        """Unsaved work that the browser keeps."""
        script = "Object.entries(localStorage).filter(([k]) => k.startsWith('stokeslet/recovery/')).map(([, v]) => v)"
        return self.page.evaluate(script)

    def end(self):
        assert not self.errors, self.errors
        self.page.close()


def flows(text):
    rows = list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))
    key = next(k for k in rows[0] if k.startswith("flow_rate"))
    return {row["port"]: float(row[key]) for row in rows}


def solved_by_the_command_line(program, design):
    out = tempfile.mkdtemp()
    subprocess.run([program, "solve", design, "--out", out, "--format", "csv"], check=True, stdout=subprocess.DEVNULL)
    text = next(pathlib.Path(out).glob("*/ports.csv")).read_text()
    shutil.rmtree(out)
    return flows(text)


def main():
    site, pictures = sys.argv[1], (sys.argv[2:] or [None])[0]
    root = pathlib.Path(__file__).resolve().parents[2]
    program = os.environ.get("STOKESLET", root / "target/release/stokeslet")
    address = serve(site)
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
        )
        # An example, solved as the design says, gives what the command line gives.
        tried = Tried(browser, f"{address}#tee", pictures)
        tried.page.wait_for_timeout(2000)
        tried.press("F5")
        tried.page.wait_for_timeout(2000)
        tried.press("Digit1")
        tried.shot("tee")
        tried.press("Control+e")
        got = flows(tried.wait_for("tee-ports.csv"))
        want = solved_by_the_command_line(program, root / "designs/tee.toml")
        assert got.keys() == want.keys(), (got, want)
        for port, flow in want.items():
            assert abs(got[port] - flow) <= 1e-9 * abs(flow), (port, got[port], flow)
        tried.end()
        # Files are picked and dropped.
        tee = (root / "designs/tee.toml").read_text()
        tried = Tried(browser, address, pictures)
        tried.press("Escape")
        tried.page.mouse.click(*MIDDLE)
        tried.page.wait_for_timeout(800)
        with tried.page.expect_file_chooser() as chooser:
            tried.press("Control+o")
        chooser.value.set_files({"name": "picked.toml", "mimeType": "text/plain", "buffer": tee.encode()})
        tried.page.wait_for_timeout(2000)
        tried.press("Control+Shift+s")
        assert tried.wait_for("picked.toml") == tee
        script = "text => { const t = new DataTransfer(); t.items.add(new File([text], 'dropped.toml')); return t; }"
        dropped = tried.page.evaluate_handle(script, tee + "# dropped\n")
        tried.page.dispatch_event("canvas", "drop", {"dataTransfer": dropped})
        tried.page.wait_for_timeout(2000)
        tried.press("Control+Shift+s")
        assert tried.wait_for("dropped.toml").endswith("# dropped\n")
        tried.end()
        # A variable is swept, and the table of the sweep is copied.
        tried = Tried(browser, address, pictures)
        tried.press("Escape")
        tried.page.mouse.click(*MIDDLE)
        tried.page.wait_for_timeout(800)
        wide = tee.replace("[fluid]", '[variables]\nl = "1 mm"\n\n[fluid]').replace('"8 mm"', '"=l"')
        assert wide.count("=l") == 1, wide
        with tried.page.expect_file_chooser() as chooser:
            tried.press("Control+o")
        chooser.value.set_files({"name": "swept.toml", "mimeType": "text/plain", "buffer": wide.encode()})
        tried.page.wait_for_timeout(2000)
        tried.press("Control+p")
        tried.page.keyboard.type("panel study")
        tried.page.wait_for_timeout(500)
        tried.press("Enter")
        tried.page.wait_for_timeout(1000)
        tried.page.mouse.click(*RUN)
        tried.page.wait_for_timeout(6000)
        tried.page.mouse.click(*COPY)
        tried.page.wait_for_timeout(1000)
        tried.shot("swept")
        table = tried.page.evaluate("navigator.clipboard.readText()")
        rows = [line for line in table.splitlines() if line and not line.startswith("#")]
        assert len(rows) == 1 + VALUES and all(",ok," in row for row in rows[1:]), table
        tried.end()
        # A channel is drawn from nothing, opened at both ends, and saved.
        tried = Tried(browser, address, pictures)
        tried.press("Escape")
        x, y = MIDDLE
        tried.page.mouse.click(x, y - 120)
        tried.page.wait_for_timeout(600)
        tried.draw((x - 150, y), (x + 150, y))
        tried.press("o")
        for place in [(x - 150, y), (x + 150, y)]:
            tried.page.mouse.click(*place)
            tried.page.wait_for_timeout(600)
        tried.page.wait_for_timeout(1500)
        tried.shot("drawn")
        kept = tried.kept()
        assert len(kept) == 1 and "pipe" in kept[0], kept
        tried.press("Control+s")
        text = tried.wait_for("untitled.toml")
        assert "pipe" in text and text.count("pressure") == 2, text
        tried.page.wait_for_timeout(500)
        assert not tried.kept(), "what is saved needn't be recovered"
        # What isn't saved is offered at the next visit.
        tried.draw((x - 150, y - 200), (x + 150, y - 200))
        assert len(tried.kept()) == 1, tried.kept()
        tried.page.reload()
        tried.page.wait_for_selector("#told", state="detached", timeout=60_000)
        tried.page.wait_for_timeout(1500)
        tried.shot("recovered")
        assert len(tried.kept()) == 1, tried.kept()
        tried.end()
        browser.close()
    print("the page opens, picks and takes designs, draws, solves as the command line does, sweeps, and saves, and keeps what isn't saved")


if __name__ == "__main__":
    main()
