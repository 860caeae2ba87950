"""Clicks through the console in Chromium; run by Scripts/console.sh, which cuts it off from the network.

    browser.py BUILD OUT

BUILD is the folder of the built programs; pictures and figures.json go to OUT. Ends with 1 when a check fails."""
import gzip
import http.server
import json
import math
import os
import plistlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime
from zoneinfo import ZoneInfo

import axe_core_python
from receiver import Receiver
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from tiles import TileServer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Registered programs are named without links.
BUILD, OUT = os.path.realpath(sys.argv[1]), os.path.abspath(sys.argv[2])
AXE = os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js")
LIBRARY = "/usr/share/javascript/leaflet"
HOME = (48.137, 11.575)
class Figures(dict):
    """Prints each figure when it is there, also in a run that does not come to its end."""

    def __setitem__(self, name, value):
        print(f"  {name} {value}", flush=True)
        super().__setitem__(name, value)


failures = []
figures = Figures()


def check(what, isTrue, said=""):
    print(f"  {'ok  ' if isTrue else 'FAIL'} {what}{f': {said}' if said != '' else ''}", flush=True)
    if not isTrue:
        failures.append(what)


def program(name):
    return os.path.join(BUILD, name)


class Machine:
    """A daemon of its own, and a console of it."""

    def __init__(self, folder):
        self.folder = folder
        self.daemon = self.app = self.console = None
        self.receiver = Receiver(HOME)
        config = os.path.join(folder, "locationd.conf")
        with open(config, "w") as file:
            file.write(f"owner-program = {program('locationctl')}\n"
                       f"agent-program = {program('locationctl')}\nallow-simulation = yes\n")
        self.socket = os.path.join(folder, "socket")
        self.config = config
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "LOCATIOND_SOCKET": self.socket,
            "CORELOCATION_SOURCES": "", "MERIDIAN_CONSOLE": os.path.join(ROOT, "console"),
            "MERIDIAN_PLACES": os.path.join(ROOT, ".build/places.sqlite"),
            "MERIDIAN_STREETS": os.path.join(folder, "streets.sqlite"),
        }

    def start_daemon(self):
        self.receiver.start()
        self.daemon = subprocess.Popen(
            [program("locationd"), "--socket", self.socket, "--state", os.path.join(self.folder, "state"),
             "--config", self.config, "--source", f"fixed:{HOME[0]},{HOME[1]},20",
             "--source", self.receiver.url],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.socket):
            time.sleep(0.05)

    def ctl(self, *words):
        run = subprocess.run([program("locationctl"), *words], env=self.environment, capture_output=True, text=True)
        return run.stdout + run.stderr

    def open(self, *words):
        self.console = subprocess.Popen(
            [program("locationctl"), "console", "--no-open", "--json", *words], env=self.environment,
            stdout=subprocess.PIPE, text=True)
        return json.loads(self.console.stdout.readline())["address"]

    def close(self):
        if self.receiver.is_alive():
            self.receiver.end()
        for process in (self.console, self.app, self.daemon):
            if process:
                process.terminate()
                process.wait(10)


def browser(logs=True, rules=None, language="en-IE"):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900", "--no-proxy-server",
                 "--disable-background-networking", "--no-first-run", "--disable-dev-shm-usage"):
        options.add_argument(word)
    if rules:
        options.add_argument(f"--host-resolver-rules={rules}")
    options.add_experimental_option("prefs", {"intl.accept_languages": f"{language},{language[:2]}"})
    if logs:
        options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(180)
    return driver


class Page:
    def __init__(self, driver):
        self.driver = driver
        self.requests = []
        self.messages = []

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def click(self, selector):
        """Clicks; an element that was replaced by news between finding and clicking is found again."""
        for attempt in range(5):
            try:
                element = self.one(selector)
                self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
                return element.click()
            except StaleElementReferenceException:
                if attempt == 4:
                    raise

    def until(self, what, condition, seconds=20):
        try:
            WebDriverWait(self.driver, seconds, 0.05).until(lambda _: condition())
            check(what, True)
        except Exception as problem:
            check(what, False, type(problem).__name__)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def later(self, script, *arguments):
        return self.driver.execute_async_script(script, *arguments)

    def looks(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.painted()

    def painted(self):
        """Waits for two frames, so that what was just changed is there."""
        self.later("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def picture(self, name):
        self.painted()
        self.driver.save_screenshot(os.path.join(OUT, f"{name}.png"))

    def axe(self, name):
        with open(AXE) as file:
            self.js(file.read())
        result = self.later("const done = arguments[0]; axe.run(document).then((found) => done(found.violations))")
        found = [(item["id"], item["impact"], len(item["nodes"]), item["nodes"][0]["target"]) for item in result]
        grave = [item for item in found if item[1] in ("serious", "critical")]
        check(f"axe finds nothing serious: {name}", not grave, grave or f"{len(found)} lesser findings {found}")

    def collect(self):
        """What was asked of whom, and what the browser has complained of."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        self.messages += [entry["message"] for entry in self.driver.get_log("browser")]


def get(address, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def live(page, machine):
    print("live")
    page.until("says that no daemon runs, and how to start one", lambda: "systemctl" in page.text("#state"))
    page.picture("live-without-daemon")
    machine.start_daemon()
    page.until("finds a daemon that was started later", lambda: "Daemon" in page.text("#state"))
    for name, empty in (("apps", "No app has asked yet"), ("conditions", "Nothing is watched"),
                        ("events", "No event"), ("access", "No app has received")):
        check(f"says the next step where there is nothing: {name}", empty in page.text(f"#{name}"))
    machine.ctl("authorize", program("AsyncApp"), "always")
    machine.app = subprocess.Popen([program("AsyncApp")], env=machine.environment, stdout=subprocess.DEVNULL)
    machine.ctl("monitor", "add", "office", f"{HOME[0]},{HOME[1]},200")
    machine.ctl("monitor", "add", "yard", "--polygon", "48.135,11.577 48.135,11.583 48.139,11.58")
    machine.ctl("monitor", "events", "--count", "1", "--timeout", "20")
    page.until("shows the fix", lambda: "48.137" in page.text("#now"))
    page.until("shows the circle of 68 %", lambda: re.search(r"Within \(68 %\)\s+\d+(\.\d)? m", page.text("#now")))
    page.until("shows the source", lambda: "working" in page.text("#sources"))
    page.until("shows the app", lambda: "AsyncApp" in page.text("#apps"))
    page.until("shows the condition with its state", lambda: "satisfied" in page.text("#conditions"))
    page.until("shows a polygon", lambda: "polygon" in page.text("#conditions"))
    check("and draws it", page.js("return meridian.map.layers.conditions.getLayers().some(layer => layer.getLatLngs)"))
    page.until("shows the event, and why", lambda: "office" in page.text("#events"))
    page.until("shows who received a location", lambda: "AsyncApp" in page.text("#access"))
    page.until("shows the log", lambda: "client" in page.text("#log"))
    observed(page, machine)
    page.click("#events summary")
    name = page.text("#events summary").split()[-2]
    check("opens the explanation of an event", name in page.text("#events pre"), name)
    page.js("document.querySelector('#live').scrollTop = 0")
    page.picture("live-light")
    page.axe("live, light")
    page.looks("dark")
    page.picture("live-dark")
    page.axe("live, dark")
    page.looks("light")
    control(page, machine)
    page.driver.set_window_size(420, 900)
    page.picture("live-narrow")
    check("fits a narrow screen", page.js("return document.documentElement.scrollWidth <= innerWidth"))
    page.driver.set_window_size(1400, 900)
    land(page, machine)
    questions(page, machine)
    delays(page, machine)
    costs(page, machine)
    page.until("answers no questions any longer, once the page was closed",
               lambda: "Off:" in page.text("#questions") and not page.one("#answers").is_selected())


EXTRACT = """<osm version="0.6">
<node id="1" lat="48.1372" lon="11.5700"/><node id="2" lat="48.1372" lon="11.5780"/><node id="3" lat="48.1372" lon="11.5800"/>
<node id="4" lat="48.1340" lon="11.5740"/><node id="5" lat="48.1390" lon="11.5740"/><node id="6" lat="48.1400" lon="11.5740"/>
<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/><tag k="name" v="Long Lane"/></way>
<way id="2"><nd ref="4"/><nd ref="5"/><nd ref="6"/><tag k="highway" v="residential"/><tag k="name" v="&lt;b&gt;Bold Street"/></way>
</osm>
"""


def land(page, machine):
    """Names from the place index, and streets of an extract of OpenStreetMap that was imported."""
    page.js("meridian.map.map.setView([48.137, 11.575], 6, {animate: false})")
    def names(look=""):
        return page.js("return [...document.querySelectorAll('.name' + arguments[0])].map((one) => one.textContent)", look)

    page.until("names places from the place index", lambda: "Munich" in names())
    shown = names()
    check("the most important ones, where there is room", 3 <= len(shown) <= 60, shown)
    check("says where they are from", "GeoNames" in page.text(".leaflet-control-attribution"),
          page.text(".leaflet-control-attribution"))
    page.picture("map-names")
    path = os.path.join(machine.folder, "extract.osm")
    with open(path, "w") as file:
        file.write(EXTRACT)
    said = machine.ctl("geocode", "import", path)
    page.js("meridian.map.map.setView([48.137, 11.575], 16, {animate: false})")
    page.until("draws and names the streets of an imported extract", lambda: "Long Lane" in names(".street"))
    check("shows a name as it is written", "<b>Bold Street" in names(".street"), said)
    check("says that they are OpenStreetMap's", "OpenStreetMap" in page.text(".leaflet-control-attribution"))
    page.picture("map-streets")
    page.axe("a map with names")


def asking(machine, name):
    """Starts an app that nobody has decided about; it asks."""
    home = os.path.join(machine.folder, name)
    os.mkdir(home)
    path = os.path.join(home, "AsyncApp")
    shutil.copy(program("AsyncApp"), path)
    with open(path + ".plist", "wb") as file:
        plistlib.dump({"CFBundleIdentifier": f"org.example.{name}", "CFBundleDisplayName": name.capitalize(),
                       "NSLocationWhenInUseUsageDescription": "To find <the> way."}, file)
    return subprocess.Popen([path], env=machine.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def questions(page, machine):
    """What apps ask is answered with the page, once a person has switched that on."""
    page.js("document.querySelector('#live').scrollTop = 0")
    apps = [asking(machine, "asker")]
    page.until("shows the app that asks", lambda: "org.example.asker" in page.text("#apps"))
    check("asks nobody before it is switched on", "Off:" in page.text("#questions"))
    page.click("#answers")
    page.until("shows its question, its reason as it is written, and its program", lambda: re.search(
        r"Allow .Asker. to use your location\?.*To find <the> way\..*AsyncApp, user 0", page.text("#questions"), re.S))
    page.picture("live-question")
    page.axe("a question")
    question = page.later("const done = arguments[0]; fetch('/api/live').then((answer) => answer.json())"
                          ".then((news) => done(news.questions.open[0]))")
    answer = """const [body, done] = arguments; fetch("/api/answer", {method: "POST", body: JSON.stringify(body)})
      .then((answer) => answer.text()).then(done)"""
    body = {"app": question["app"], "number": question["number"], "precise": True}
    check("refuses an answer that the question has not", "no such answer" in page.later(
        answer, {**body, "answer": "always"}))
    # A second question leaves what a person has chosen in the first.
    page.click("#questions input")
    apps.append(asking(machine, "second"))
    page.until("shows two questions", lambda: len(page.driver.find_elements(By.CSS_SELECTOR, ".question")) == 2)
    check("and the first as it was", not page.one("#questions .question input").is_selected())
    page.click("#questions .question button[data-answer=whileUsing]")
    page.until("answers", lambda: re.search(r"org\.example\.asker\s+whenInUse", machine.ctl("apps")), 30)
    check("with the reduced accuracy that was chosen", re.search(r"org\.example\.asker.*reduced|org\.example\.asker.*no",
          machine.ctl("apps")), machine.ctl("apps"))
    check("refuses a later answer of another page", "no longer open" in page.later(answer, {**body, "answer": "deny"}))
    machine.ctl("authorize", "org.example.second", "never")
    page.until("takes a question back that is answered elsewhere", lambda: "No app asks" in page.text("#questions"), 30)
    for app in apps:
        app.kill()
        app.wait()


def observed(page, machine):
    """What is known of the moment: own fixes, satellites, heading, the coarse place, beliefs, and the lanes."""
    machine.ctl("authorize", program("CellApp"), "always")
    app = subprocess.Popen([program("CellApp"), "seen", "/dev/null", "standard,heading,visits"],
                           env=machine.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page.until("shows each source's own fix, and that one is the last fix",
               lambda: "is the last fix" in page.text("#sources"))
    page.until("shows the sky of the receiver", lambda: len(
        page.driver.find_elements(By.CSS_SELECTOR, "#sky svg .name")) == 8)
    page.until("shows how strong each satellite is, those in use first", lambda: re.match(
        r"G25\s+70°\s+180°\s+46\s+yes", page.text("#sky tbody tr")))
    check("names a satellite that is not received", "not received" in page.text("#sky"))
    check("names the sky for a screen reader", "7 of 8 satellites in use" in page.one(
        "#sky svg").get_attribute("aria-label"))
    page.js("document.querySelector('#sky').scrollIntoView()")
    page.picture("live-sky")
    page.until("shows the heading and its error", lambda: re.search(r"Heading\s+8\d° (true|magnetic)", page.text("#now")))
    page.until("draws the heading on the map", lambda: page.js("return Boolean(meridian.map.layers.heading)"))
    page.until("shows the coarse place beside the exact one", lambda: re.search(
        r"Reduced accuracy\s+4\d\.\d+, 11\.\d+, within 5,000 m, .* from the fix", page.text("#now")))
    beliefs(page, machine)
    beacons(page)
    lanes(page, machine)
    app.kill()
    app.wait()


def beliefs(page, machine):
    machine.receiver.pace = 15.0
    page.until("shows what speaks for a crossing before it is decided", lambda: re.search(
        r"unsatisfied \d+ %, decided at 95 %", page.text("#conditions")), 60)
    page.js("document.querySelector('#conditions').scrollIntoView()")
    page.picture("live-belief")
    page.until("and no longer once it is decided", lambda: "unsatisfied" in page.text("#conditions")
               and "decided at" not in page.text("#conditions"), 120)
    machine.receiver.pace = 0.0
    page.until("shows the other source's fix beside it, and why it is refused", lambda: re.search(
        r"refused: |another has followed it", page.text("#sources")))
    page.picture("live-own-fixes")


def beacons(page):
    """No radio is here: what a daemon would say of beacons and a visit is put into the page."""
    seen = page.js("""const live = meridian.live, now = Date.now() * 1e6;
      live.take({version: 1, whole: false, trail: [], log: [], marks: [], status: {...live.state.status,
        beacons: [{uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 1, minor: 2, proximity: "near",
          accuracy: 1.4, rssi: -61, time: now}],
        visit: {arrival: now - 3600e9, accuracy: 30, place: live.state.status.lastFix.place, departure: {
          towards: "unsatisfied", probability: 0.8, threshold: 0.9526, since: now, fixes: 3, earliest: now}}}});
      live.render();
      return [document.querySelector("#beacons").innerText, document.querySelector("#now").innerText]""")
    check("shows beacons with their proximity", re.search(r"1 2\s+near\s+± 1\.4 m\s+-61", seen[0]), seen[0])
    check("shows the visit that lasts, and what speaks for its end",
          re.search(r"Visit\s+since .* unsatisfied 80 %, decided at 95 %", seen[1]), seen[1])
    page.js("document.querySelector('#beacons').scrollIntoView()")
    page.picture("live-beacons")
    page.axe("live, with everything")


def lanes(page, machine):
    names = page.js("return meridian.live.timeline.lanes.map((lane) => lane.whole ?? lane.name)")
    for what, part in (("sources", "source "), ("hardware", "Hardware"), ("hardware by service", "share "),
                       ("motion", "Motion"), ("beliefs", "belief office"), ("life", "life "),
                       ("permission", "permission ")):
        check(f"has a lane of {what}", any(name.startswith(part) for name in names), names)
    beliefs = page.js("""return meridian.live.timeline.lanes.find((lane) => lane.whole?.startsWith("belief office"))
      .spans.filter((span) => span.threshold !== undefined).length""")
    check("draws the belief over time with its threshold", beliefs > 3, beliefs)
    line = page.one("#live-timeline")
    line.send_keys(Keys.ARROW_LEFT)
    check("scrubs the live timeline by the keyboard", "Now" not in page.text("#live-clock"))
    check("says what held then", "Hardware" in page.text("#live-moment"))
    check("says it to a screen reader", "Hardware" in line.get_attribute("aria-valuetext"))
    page.click("#live-earlier")
    text = page.text("#live-explanation")
    check("goes to an event, and says why it came", any(name in text for name in ("office", "yard")), text)
    check("lights the fixes that decided it on the map", page.js("return meridian.live.lit") > 0)
    page.js("document.querySelector('#live').scrollTop = 0")
    page.picture("live-timeline")
    page.looks("dark")
    page.picture("live-timeline-dark")
    page.axe("live timeline, dark")
    page.looks("light")
    page.click("#live-now")
    check("comes back to now", page.text("#live-clock") == "Now")


def control(page, machine):
    page.click("#services")
    page.until("switches location services off", lambda: "off" in machine.ctl("services"))
    page.click("#services")
    page.until("and on", lambda: "are on" in machine.ctl("services"))
    row = "#apps select[aria-label*=AsyncApp]"
    page.js("document.querySelector(arguments[0]).focus()", row)
    Select(page.one(row)).select_by_visible_text("whenInUse")
    page.js("document.activeElement.blur()")
    page.until("changes what an app may know", lambda: re.search(r"AsyncApp\s+whenInUse", machine.ctl("apps")))
    page.one("#watch [name=identifier]").clear()
    page.one("#watch [name=identifier]").send_keys("here")
    page.click("#watch button")
    page.until("watches a circle", lambda: "here" in machine.ctl("monitor", "list"))
    page.until("and shows it", lambda: "here" in page.text("#conditions"))
    page.click("#conditions button[aria-label*=here]")
    page.until("and no longer", lambda: "here" not in machine.ctl("monitor", "list"))
    page.click("#apps button[aria-label^=Start][aria-label*=AsyncApp]")
    page.until("registers what starts an app", lambda: re.search(
        r'AsyncApp","level".*"starter":"[^"]*AsyncApp"', machine.ctl("apps", "--json")))
    page.until("and shows it", lambda: page.js(
        "return document.querySelector('#apps button[aria-label^=Start][aria-label*=AsyncApp]')?.textContent") == "Remove")
    page.click("#apps button[aria-label^=Start][aria-label*=AsyncApp]")
    page.until("and takes it back", lambda: "starter" not in machine.ctl("apps", "--json"))
    page.click("#apps button[aria-label^=Erase][aria-label*=AsyncApp]")
    page.driver.switch_to.alert.accept()
    page.until("erases an app", lambda: "AsyncApp" not in machine.ctl("data", "list"))


def delays(page, machine):
    """From a fix to the frame that shows it: a place is set from outside 40 times."""
    page.js("meridian.live.delays.length = 0")
    way = subprocess.Popen(
        [program("locationctl"), "location", "start", "--speed", "20", f"{HOME[0]},{HOME[1]}",
         f"{HOME[0] + 0.0072},{HOME[1]}"], env=machine.environment, stdout=subprocess.DEVNULL)
    page.until("follows 40 fixes", lambda: page.js("return meridian.live.delays.length") >= 40, 90)
    # Before the picture, while which nothing is painted.
    values = sorted(page.js("return meridian.live.delays"))
    page.picture("live-moving")
    way.terminate()
    way.wait()
    if values:
        figures["fix_to_frame_median_ms"] = round(statistics.median(values))
        figures["fix_to_frame_p99_ms"] = round(values[min(len(values) - 1, math.ceil(len(values) * 0.99) - 1)])


def costs(page, machine):
    """What an hour of fixes leaves in the page, and what a page costs the daemon."""
    def heap():
        # What waits for a frame is over then.
        page.painted()
        page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return page.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]

    feed = """const live = meridian.live;
      for (let at = 0; at < arguments[0]; at++) {
        const fix = {time: 1777852800e9 + at * 1e9, accuracy: 5,
          place: {latitude: 48.137 + at * 1e-6, longitude: 11.575}};
        live.take({version: 1, whole: false, trail: [fix], log: [{date: fix.time, category: "fix", message: "x"}],
          marks: [{time: fix.time / 1e6, kind: "belief", name: "circle", value: "unsatisfied", level: at % 100 / 100}],
          status: {...live.state.status, lastFix: fix}});
        if (at % 100 === 0) live.render();
      }"""
    page.js(feed, 12000)
    sizes = [heap()]
    # Each time more than an hour: twice as many as are forgotten at once, so that as many are kept each time. What the
    # browser itself makes or lets go of between two of them is in one difference; what a page does not let go of, in all.
    for _ in range(5):
        page.js(feed, 4000)
        sizes.append(heap())
    grown = [after - before for before, after in zip(sizes, sizes[1:])]
    figures["page_heap_kb"] = sizes[0] // 1024
    figures["page_heap_growth_of_an_hour_kb"] = int(statistics.median(grown)) // 1024
    check("an hour of fixes leaves the memory of the page as it was", statistics.median(grown) < 250_000, grown)

    def seconds():
        with open(f"/proc/{machine.daemon.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def used():
        begin = seconds()
        time.sleep(20)
        return round((seconds() - begin) / 20 * 100, 2)

    figures["daemon_cpu_percent_with_page"] = used()
    address = page.driver.current_url
    page.driver.get("about:blank")
    # Until the console knows that the page has gone, and answers no questions.
    time.sleep(37)
    figures["daemon_cpu_percent_without_page"] = used()
    page.driver.get(address)
    page.until("comes back to the page with its cookie", lambda: "Daemon" in page.text("#state"))


WALK = """scenario A walk to the bakery
date 2026-05-04T06:30:00Z
place 48.137,11.575
condition home 48.137,11.575 100
condition bakery 48.143,11.575 80
00:20:00 walk to 48.143,11.575
00:40:00 sky indoors
+10min sky open
then walk to 48.137,11.575
then stay 30min
"""


def day(page, machine):
    print("a day")
    page.click("#show-day")
    check("says the next step without a day", "drop one" in page.text("#day-name"))
    page.picture("day-empty")
    path = os.path.join(machine.folder, "walk.txt")
    with open(path, "w") as file:
        file.write(WALK)
    page.one("#file").send_keys(path)
    page.until("opens a scenario", lambda: "A walk to the bakery" in page.text("#day-name"))
    page.until("lists its events", lambda: "bakery: satisfied" in page.text("#day-events"))
    names = page.js("return meridian.day.timeline.lanes.map((lane) => lane.name)")
    check("has lanes of power by service, and of motion", {"Hardware", "Motion"} <= set(names)
          and any("/live" in name for name in names), names)
    check("draws what spoke for each crossing", page.js("""return meridian.day.timeline.lanes
      .find((lane) => lane.name === "bakery").spans.filter((span) => span.threshold !== undefined).length""") > 3)
    page.picture("day-light")
    page.axe("a day, light")
    page.looks("dark")
    page.picture("day-dark")
    page.axe("a day, dark")
    page.looks("light")
    buttons = page.driver.find_elements(By.CSS_SELECTOR, "#day-events button")
    chosen = next(button for button in buttons if "bakery: satisfied" in button.text)
    page.js("arguments[0].scrollIntoView({block: 'center'})", chosen)
    chosen.click()
    check("explains an event", "% likely" in page.text("#explanation"))
    check("lights the fixes that decided it", page.js("return meridian.day.lit") > 0)
    page.picture("day-explained")
    times(page)
    fences(page)
    changes(page)
    drawing(page, machine)
    exports(page, machine)
    drop(page)


def times(page):
    line = page.one("#timeline")
    now = page.js("return meridian.day.timeline.now")
    line.send_keys(Keys.ARROW_RIGHT)
    check("scrubs by the keyboard", page.js("return meridian.day.timeline.now") > now)
    ActionChains(page.driver).move_to_element_with_offset(line, 100, 0).click_and_hold().move_by_offset(
        80, 0).release().perform()
    check("scrubs by the pointer", "May 2026" in page.text("#clock") or "2026" in page.text("#clock"))
    before = page.js("return meridian.day.timeline.to - meridian.day.timeline.from")
    page.click("#zoom-in")
    check("zooms", page.js("return meridian.day.timeline.to - meridian.day.timeline.from") < before)
    page.click("#zoom-out")
    page.click("#play")
    start = page.js("return meridian.day.timeline.now")
    page.until("plays", lambda: page.js("return meridian.day.timeline.now") > start)
    page.click("#play")
    page.until("keeps the moment in the address", lambda: "#t=2026-05-04T" in page.driver.current_url)
    page.js("location.hash = '#t=2026-05-04T07:00:00.000Z'")
    page.until("goes to a moment by its address", lambda: page.js(
        "return meridian.day.timeline.now === Date.parse('2026-05-04T07:00:00Z')"))
    page.click("#later")
    check("goes to the next event", page.js("return meridian.day.chosen !== undefined"))


def fences(page):
    page.click("#add-fence")
    box = page.one("#map")
    ActionChains(page.driver).move_to_element_with_offset(box, 60, 40).click().perform()
    page.until("adds a fence, and runs the day again", lambda: "fence-1" in page.text("#fences"))
    field = page.one("input[aria-label='radius of bakery']")
    events = page.js("return meridian.day.day.events.filter((one) => one.name === 'bakery').length")
    page.js("arguments[0].value = '2000'; arguments[0].dispatchEvent(new Event('change'))", field)
    page.until("a wider fence changes the day", lambda: page.js(
        "return meridian.day.day.events.filter((one) => one.name === 'bakery').length") < events)
    page.js("""const fence = meridian.day.day.fences[0];
      meridian.map.map.setView([fence.latitude, fence.longitude], 15, {animate: false})""")
    handle = page.one(".handle")
    place = page.js("return meridian.day.day.fences[0].latitude")
    ActionChains(page.driver).drag_and_drop_by_offset(handle, 0, -60).perform()
    page.until("moves a fence by the pointer", lambda: page.js("return meridian.day.day.fences[0].latitude") != place)
    page.click("button[aria-label='Remove fence-1']")
    page.until("removes a fence", lambda: "fence-1" not in page.text("#fences"))


def changes(page):
    """What happens at a time: a permission, and what is no such thing."""
    def write(text):
        field = page.one("#change input")
        field.clear()
        field.send_keys(text, Keys.ENTER)

    before = page.js("return meridian.day.day.fixes")
    page.js("meridian.day.scrub(meridian.day.day.begin + 60000)")
    write("permission never")
    page.until("adds what happens, and runs the day again", lambda: "permission never" in page.text("#changes"))
    check("and the app gets no more fixes", page.js("return meridian.day.day.fixes") < before / 4)
    page.picture("day-changed")
    page.axe("a day with a change")
    check("exports it", "permission never" in page.later(
        "const done = arguments[0]; fetch('/api/day/scenario').then((answer) => answer.text()).then(done)"))
    write("walk to 48,11")
    page.until("says why something cannot happen", lambda: "cannot happen" in page.text("#problem"))
    page.click("#changes button[aria-label='Remove permission never']")
    page.until("and without it the day is as it was", lambda: page.js("return meridian.day.day.fixes") == before)


def drawing(page, machine):
    page.js("meridian.map.map.setView([48.14, 11.58], 15)")
    page.click("#draw")
    box = page.one("#map")
    for x, y in ((-150, -60), (0, 40), (150, -60)):
        ActionChains(page.driver).move_to_element_with_offset(box, x, y).click().perform()
    check("draws a way", page.js("return meridian.day.points.length") == 3)
    page.picture("day-drawing")
    page.click("#way button[type=submit]")
    page.until("runs the way that was drawn", lambda: "A drawn way" in page.text("#day-name"))
    beacons_on_the_way(page, machine)
    story = page.one("#story textarea")
    page.js("arguments[0].value = 'scenario Broken\\nplace nowhere\\n'", story)
    page.click("#story button")
    page.until("says which line of a story is wrong", lambda: "line 2" in page.text("#problem"))
    page.js("arguments[0].value = arguments[1]", story, WALK)
    page.click("#story button")
    page.until("runs a story", lambda: "A walk to the bakery" in page.text("#day-name"))


def beacons_on_the_way(page, machine):
    """A beacon where the way ends, which the app of the day monitors, and an answer to a question."""
    page.js("meridian.day.scrub(meridian.day.day.end)")
    page.click("#add-beacon-here")
    page.until("places a beacon on the drawn way, and runs the day again", lambda: "beacon-1" in page.text("#day-beacons"))
    page.until("the app is near it at the end", lambda: "beacon-1: satisfied" in page.text("#day-events"))
    page.picture("day-beacon")
    page.axe("a day with a beacon")
    page.click("#add-beacon")
    ActionChains(page.driver).move_to_element_with_offset(page.one("#map"), 100, 80).click().perform()
    page.until("places another by a click on the map", lambda: "beacon-2" in page.text("#day-beacons"))
    page.click("button[aria-label='Remove beacon-2']")
    page.until("and removes it", lambda: "beacon-2" not in page.text("#day-beacons"))

    def write(text, seconds):
        page.js("meridian.day.scrub(meridian.day.day.begin + arguments[0])", seconds * 1000)
        field = page.one("#change input")
        field.clear()
        field.send_keys(text, Keys.ENTER)
        page.until(f"adds to the drawn day: {text}", lambda: text in page.text("#changes"))

    write("person answers whileUsing keepWhileUsing after 2s", 10)
    write("permission ask", 20)
    check("the app asks, and the person answers", page.js(
        "return meridian.day.day.events.filter((one) => one.kind === 'question').length") > 0)
    read = "const done = arguments[0]; fetch('{}').then((answer) => answer.text()).then(done)"
    scenario = page.later(read.format("/api/day/scenario"))
    path = os.path.join(machine.folder, "drawn.txt")
    with open(path, "w") as file:
        file.write(scenario)
    check("exports both as a scenario that runs", "hash" in machine.ctl("simulate", path) and "beacon beacon-1" in scenario)
    test = page.later(read.format("/api/day/test"))
    check("and as a test in Swift", "BeaconIdentityCondition" in test and "app.setPermission(.ask)" in test)
    with open(os.path.join(OUT, "DrawnDayTests.swift"), "w") as file:
        file.write(test)


def exports(page, machine):
    read = "const done = arguments[0]; fetch('{}').then((answer) => answer.text()).then(done)"
    scenario = page.later(read.format("/api/day/scenario"))
    path = os.path.join(machine.folder, "exported.txt")
    with open(path, "w") as file:
        file.write(scenario)
    check("exports a scenario that runs", "hash" in machine.ctl("simulate", path))
    with open(os.path.join(OUT, "DayTests.swift"), "w") as file:
        file.write(page.later(read.format("/api/day/test")))


def put(page, name, text):
    page.js("""const files = new DataTransfer();
      files.items.add(new File([arguments[1]], arguments[0]));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}))""", name, text)


def nmea_log():
    source = Receiver(HOME)
    for at in range(300):
        source.east = at * 1.4
        yield source.epoch(time.gmtime(1777852800 + at))
    source.listener.close()


def drop(page):
    gpx = "<gpx version='1.1'><trk><trkseg>" + "".join(
        f"<trkpt lat='48.{1370 + at:04}' lon='11.575'><time>2026-05-04T08:{at // 60:02}:{at % 60:02}Z</time></trkpt>"
        for at in range(600)) + "</trkseg></trk></gpx>"
    page.js("""const files = new DataTransfer();
      files.items.add(new File([arguments[0]], "dropped.gpx"));
      document.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}))""", gpx)
    page.until("opens a file that is dropped", lambda: "dropped.gpx" in page.text("#day-name"))
    put(page, "log.nmea", "".join(nmea_log()))
    page.until("opens a receiver's log", lambda: re.search(r"log\.nmea: [1-9]\d* fixes", page.text("#day-name")))
    fixes = "".join(json.dumps({
        "type": "update", "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1777852800 + at)),
        "latitude": HOME[0] + at * 1e-5, "longitude": HOME[1], "horizontal_accuracy": 5}) + "\n" for at in range(300))
    put(page, "fixes.jsonl", fixes)
    page.until("opens recorded fixes", lambda: re.search(r"fixes\.jsonl: [1-9]\d* fixes", page.text("#day-name")))
    put(page, "broken.gpx", "<gpx><trk>")
    page.until("says what is wrong with a file", lambda: "broken.gpx" in page.text("#problem"))


def whole_day(page, machine):
    """86,400 fixes, 20 fences."""
    print("a whole day")
    path = os.path.join(machine.folder, "whole.gpx")
    with open(path, "w") as file:
        file.write("<gpx version='1.1'><trk><trkseg>\n")
        for at in range(86400):
            turn = 2 * math.pi * at / 7200
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1777852800 + at))
            file.write(f"<trkpt lat='{48.137 + 0.02 * math.sin(turn):.6f}' lon='{11.575 + 0.03 * math.cos(turn):.6f}'>"
                       f"<time>{stamp}</time></trkpt>\n")
        file.write("</trkseg></trk></gpx>\n")
    page.one("#file").send_keys(path)
    page.until("opens a day of 86,400 fixes", lambda: "whole.gpx" in page.text("#day-name"), 120)
    circles = [{"identifier": f"fence-{at}", "latitude": 48.137 + 0.02 * math.sin(at * 0.314),
                "longitude": 11.575 + 0.03 * math.cos(at * 0.314), "radius": 150} for at in range(20)]
    figures["whole_day_fixes"] = page.js("return meridian.day.day.fixes")
    figures["whole_day_opening_in_page_ms"] = round(page.js("return meridian.day.openingTime"))
    runs = []
    for _ in range(5):
        runs.append(page.later(
            "const [circles, done] = arguments; meridian.day.setFences(circles).then(() => done(meridian.day.rerunTime))",
            circles))
    figures["whole_day_20_fences_click_to_shown_ms"] = round(statistics.median(runs))
    answers = [page.later("""const [circles, done] = arguments, began = performance.now();
      fetch("/api/day/fences", {method: "POST", body: JSON.stringify(circles)}).then((answer) => answer.text())
        .then(() => done(performance.now() - began))""", circles) for _ in range(5)]
    figures["whole_day_20_fences_answer_ms"] = round(statistics.median(answers))
    page.picture("day-whole")
    page.axe("a whole day")
    scrubbing(page)


def scrubbing(page):
    """In a browser that logs nothing: the log of requests costs a third of the frames."""
    address = page.driver.current_url.split("#")[0]
    plain = Page(browser(logs=False))
    try:
        plain.driver.get(address)
        for cookie in page.driver.get_cookies():
            plain.driver.add_cookie(cookie)
        plain.driver.get(address)
        plain.until("opens in another browser only with the cookie", lambda: plain.js(
            "return globalThis.meridian?.day.day.fixes > 0"))
        figures["whole_day_page_opens_ms"] = round(plain.js("return meridian.day.shownAt"))
        count_frames(plain)
    finally:
        plain.driver.quit()


def as_read_there(page, own):
    """Times of the reader's zone, UTC for whoever points at one, and the units of the reader's country."""
    print("elsewhere")
    cookies = page.driver.get_cookies()
    for language, zone, unit in (("en-US", "America/New_York", "ft"), ("de-DE", "Asia/Kolkata", "m")):
        there = Page(browser(logs=False, language=language))
        try:
            there.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
            there.driver.get(own)
            for cookie in cookies:
                there.driver.add_cookie(cookie)
            there.driver.get(own)
            there.until(f"gives lengths in {unit} to {language}", lambda: re.search(
                rf"Within \(68 %\)[\d.,]+ {unit}", there.js("return document.querySelector('#now').textContent")))
            shown, utc = there.js("const time = document.querySelector('#now time'); return [time.textContent, time.title]")
            local = datetime.fromisoformat(utc.replace("Z", "+00:00")).astimezone(ZoneInfo(zone))
            expected = local.strftime("%H:%M:%S" if language == "de-DE" else "%-I:%M:%S")
            check(f"the time of {zone}, and UTC where one points at it", utc.endswith("Z") and expected in shown,
                  f"{shown}, {utc}")
        finally:
            there.driver.quit()


def count_frames(page):
    frames = page.later("""const done = arguments[0], day = meridian.day, times = [], count = 200;
      let last = performance.now();
      const span = day.day.end - day.day.begin;
      const frame = (now) => {
        times.push(now - last); last = now;
        if (times.length > count) return done(times.slice(1));
        day.scrub(day.day.begin + span * times.length / count);
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);""")
    figures["scrub_frames_per_second"] = round(1000 / statistics.mean(frames), 1)
    figures["scrub_frame_p99_ms"] = round(sorted(frames)[int(len(frames) * 0.99) - 1], 1)


def borders(page, machine, own):
    """Who is not to read or change anything: a rebound name, another origin, another user, and too many at once."""
    print("borders")
    port = own.rsplit(":", 1)[1]
    cookies = page.driver.get_cookies()
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in cookies)
    check("the cookie opens it for the same user", get(f"{own}/api/settings", Cookie=cookie) == 200)
    if os.geteuid() == 0:
        script = f"import urllib.request as r; r.urlopen(r.Request('{own}/api/settings', headers={{'Cookie': '{cookie}'}}))"
        run = subprocess.run(["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "/usr/bin/python3",
                              "-c", script], capture_output=True, text=True)
        check("another user is refused, with the cookie", "403" in run.stderr, run.stderr[-80:])
    stranger = Page(browser(logs=False, rules="MAP evil.example 127.0.0.1"))
    try:
        stranger.driver.get(f"http://evil.example:{port}/")
        status = stranger.later("const done = arguments[0]; fetch('/api/live').then((answer) => done(answer.status))")
        check("a name that is rebound to the loopback is refused", status == 421, status)
        stranger.driver.get(own)
        for one in cookies:
            stranger.driver.add_cookie(one)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            stranger.driver.get(f"http://127.0.0.1:{other.server_address[1]}/README.md")
            read = stranger.later("""const [own, done] = arguments;
              fetch(`${own}/api/live`, {credentials: "include"}).then(() => done("read"), () => done("refused"))""", own)
            check("another origin's script reads nothing, with the cookie", read == "refused", read)
            stranger.later("""const [own, done] = arguments;
              fetch(`${own}/api/services`, {method: "POST", body: '{"on":false}', credentials: "include", mode: "no-cors"})
                .finally(() => done())""", own)
            check("nor changes anything", "are on" in machine.ctl("services"))
            other.shutdown()
    finally:
        stranger.driver.quit()
    many(own, int(port), cookie)


def tiles(machine):
    """A console with map tiles of a server, which is asked for them and for nothing else, and nobody else is."""
    print("tiles")
    (server, other) = (TileServer(), TileServer())
    console = Machine(machine.folder)
    page = None
    try:
        address = console.open("--tiles", server.origin + "/{z}/{x}/{y}.png", "--attribution", "© The <test's> map")
        own = address.split("/?")[0]
        page = Page(browser())
        page.driver.get(address)
        page.until("shows tiles", lambda: page.js("return document.querySelectorAll('.leaflet-tile-loaded').length") > 0)
        check("shows whose the map is, as it is written", "© The <test's> map" in page.text(".leaflet-control-attribution"),
              page.text(".leaflet-control-attribution"))
        page.picture("tiles")
        policy = page.later("const done = arguments[0]; fetch('/').then((answer) => "
                            "done(answer.headers.get('Content-Security-Policy')))")
        check("allows images of that origin and of no other", f"img-src 'self' data: {server.origin};" in policy, policy)
        blocked = """const [address, done] = arguments; document.addEventListener("securitypolicyviolation",
          (event) => done(event.effectiveDirective), {once: true}); new Image().src = address;"""
        check("an image of another origin is not asked for", page.later(
            blocked, other.origin + "/1/1/1.png") == "img-src" and not other.asked, other.asked)
        script = """const [address, done] = arguments; fetch(address).then(() => done("read"), () => done("refused"))"""
        check("nor is the tile server for anything but images", page.later(script, server.origin + "/secret") == "refused"
              and all(path.endswith(".png") for path, _ in server.asked))
        check("it does not learn which page asks", all(
            "Referer" not in headers and "Cookie" not in headers for _, headers in server.asked))
        page.collect()
        foreign = [url for url in page.requests if not url.startswith((own, server.origin + "/", "data:", "blob:"))
                   and not url.startswith((other.origin, server.origin + "/secret"))]
        check("nothing else is fetched", not foreign, foreign[:3] or f"{len(server.asked)} tiles")
    finally:
        if page:
            page.driver.quit()
        console.close()
        server.end()
        other.end()


def many(own, port, cookie):
    request = f"GET /api/settings HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
    callers = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
    answered = 0
    for caller in callers:
        caller.settimeout(0.2)
        try:
            caller.sendall((request + "\r\n").encode())
            answered += b" 200 " in caller.recv(64)
        except OSError:
            pass
    check("24 connections are served at once, and no more", 0 < answered <= 24, answered)
    for caller in callers:
        caller.close()
    time.sleep(0.5)
    check("and it serves again when they have gone", get(f"{own}/api/settings", Cookie=cookie) == 200)


def sizes():
    files = [os.path.join(ROOT, "console", name) for name in sorted(os.listdir(os.path.join(ROOT, "console")))]
    files += [os.path.join(LIBRARY, name) for name in ("leaflet.esm.min.js", "leaflet.css")]
    contents = [open(path, "rb").read() for path in files]
    figures["page_bytes"] = sum(len(content) for content in contents)
    figures["page_bytes_packed"] = sum(len(gzip.compress(content, 9)) for content in contents)
    check("at most 300 kB packed", figures["page_bytes_packed"] <= 300_000, figures["page_bytes_packed"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        machine = Machine(folder)
        address = machine.open()
        driver = browser()
        page = Page(driver)
        try:
            driver.get(address)
            check("an address works once", get(address) == 403)
            check("the token is no longer in the address", "token" not in driver.current_url)
            live(page, machine)
            day(page, machine)
            whole_day(page, machine)
            own = address.split("/?")[0]
            as_read_there(page, own)
            borders(page, machine, own)
            tiles(machine)
            page.collect()
            foreign = [url for url in page.requests if not url.startswith((own, "data:", "blob:"))]
            check("no request leaves the console", not foreign, foreign[:3] or f"{len(page.requests)} requests")
            severe = [text for text in page.messages if "409" not in text]
            check("the browser complains of nothing", not severe, severe[:3])
            machine.console.terminate()
            machine.console.wait(10)
            page.until("says that the console was closed", lambda: "closed" in page.text("#state"), 30)
        finally:
            driver.quit()
            machine.close()
        sizes()
    with open(os.path.join(OUT, "figures.json"), "w") as file:
        json.dump(figures, file, indent=2)
    print(json.dumps(figures, indent=2))
    if failures:
        sys.exit(f"{len(failures)} checks failed: " + "; ".join(failures))


main()
