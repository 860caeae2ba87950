// A day in virtual time: the server runs the real engine, the page shows what came of it.
import { ask, byId, clockText, degrees, el, fill, length, list, report, time } from "/words.js";
import { Timeline, dayLanes } from "/timeline.js";
import { named, renderBeacons } from "/beacons.js";

/** What can happen besides the way, in the words of a scenario; the server judges them. */
const HAPPENINGS = [
  "permission never", "permission ask", "permission whileUsing", "permission always", "precise off", "precise on",
  "services off", "services on", "person answers whileUsing", "person answers once", "person answers deny",
  "app background", "app suspended", "app foreground", "receiver silent", "receiver unplugged", "receiver well",
  "receiver lies 10 500 90", "sky tunnel", "sky indoors", "sky street", "sky open", "advertise on", "advertise off",
  "beacon allowed", "beacon declined", "hotspot on", "hotspot off", "clock 10min",
];

/** An event in one line. */
function words(event) {
  const what = event.kind === event.name || event.kind === "significant" ? event.name : `${event.kind} ${event.name}`;
  return event.state ? `${what}: ${event.state}` : what;
}

export class Day {
  constructor(map) {
    this.map = map;
    this.track = new Float64Array(0);
    this.day = { begin: 0, end: 0, events: [], fences: [], beacons: [], changes: [], notes: [], name: "" };
    this.points = [];
    this.timeline = new Timeline((at) => this.scrub(at), (event) => this.choose(event));
    this.listen();
    map.map.on("click", (event) => this.clicked(event.latlng));
  }

  listen() {
    byId("file").addEventListener("change", (event) => {
      if (event.target.files[0]) this.open(event.target.files[0]);
    });
    for (const name of ["dragover", "dragleave", "drop"]) {
      document.addEventListener(name, (event) => {
        event.preventDefault();
        document.body.classList.toggle("dropping", name === "dragover");
        if (name === "drop" && event.dataTransfer.files[0]) this.open(event.dataTransfer.files[0]);
      });
    }
    byId("play").addEventListener("click", () => this.play(!this.isPlaying));
    byId("earlier").addEventListener("click", () => this.step(-1));
    byId("later").addEventListener("click", () => this.step(1));
    byId("zoom-in").addEventListener("click", () => this.timeline.zoom(0.5));
    byId("zoom-out").addEventListener("click", () => this.timeline.zoom(2));
    const toggle = (id) => byId(id).addEventListener("click", () => this.mode(this.clicks === id ? undefined : id));
    toggle("add-fence");
    toggle("add-beacon");
    toggle("draw");
    const here = (id, add) => byId(id).addEventListener("click", () => {
      const fix = this.fixAt(this.timeline.now);
      if (fix) add(fix.latitude, fix.longitude);
      else report("There is no fix at this time.");
    });
    here("add-fence-here", (latitude, longitude) => this.addFence(latitude, longitude));
    here("add-beacon-here", (latitude, longitude) => this.addBeacon(latitude, longitude));
    byId("undo").addEventListener("click", () => {
      this.points.pop();
      this.drawPoints();
    });
    byId("way").addEventListener("submit", (event) => {
      event.preventDefault();
      this.go(new FormData(event.target));
    });
    fill("happenings", ...HAPPENINGS.map((value) => el("option", { value })));
    byId("change").addEventListener("submit", (event) => {
      event.preventDefault();
      const text = new FormData(event.target).get("text").trim();
      this.setChanges([...this.day.changes, { time: this.timeline.now, text }]);
    });
    byId("story").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send("story.txt", new FormData(event.target).get("text"));
    });
    addEventListener("hashchange", () => this.goToLink());
    document.addEventListener("keydown", (event) => {
      if (!this.isShown || event.target.closest("input, select, textarea, button")) return;
      if (event.key === " ") { event.preventDefault(); this.play(!this.isPlaying); }
      if (event.key === "n") this.step(1);
      if (event.key === "p") this.step(-1);
    });
  }

  // MARK: A day from the server

  open(file) { return this.send(file.name, file); }

  async send(name, body) {
    this.wasOpened?.();
    byId("day-name").textContent = "Running the day…";
    try {
      await this.take(await ask(`/api/day?name=${encodeURIComponent(name)}`, body));
      report();
    } catch (problem) {
      byId("day-name").textContent = "No day is open.";
      report(problem);
    }
  }

  /** The day that the command was given, if there is one. */
  async begin() {
    try {
      await this.take(await ask("/api/day"));
      this.wasOpened?.();
    } catch (problem) {
      if (problem.status !== 409) report(problem);
    }
  }

  async take(answer, keepsView = false) {
    const began = performance.now();
    const day = await answer.json();
    const bytes = await (await ask("/api/day/track")).arrayBuffer();
    [this.day, this.track] = [day, new Float64Array(bytes)];
    this.tiers = day.events.filter((event) => event.kind === "tier");
    this.lives = day.events.filter((event) => event.kind === "life");
    const view = keepsView && [this.timeline.from, this.timeline.to, this.timeline.now];
    this.timeline.set(day, dayLanes(day, this.track));
    if (view) [this.timeline.from, this.timeline.to] = view;
    this.line = [];
    for (let at = 0; at < this.track.length; at += 4) this.line.push([this.track[at + 1], this.track[at + 2]]);
    byId("day-name").textContent =
      `${day.name}: ${day.fixes} fixes, ${clockText(day.begin)} to ${clockText(day.end)}`
      + (day.cut ? ", cut: the rest is too long to show in one piece" : "");
    for (const id of ["save-scenario", "save-test"]) byId(id).hidden = day.fixes === 0;
    byId("timeline-area").hidden = false;
    this.write();
    this.render();
    if (!keepsView) this.map.fit(this.line.length ? this.line : day.fences.map((fence) => [fence.latitude, fence.longitude]));
    this.scrub(view ? view[2] : day.begin);
    if (!view) this.goToLink();
    // Since the server has answered, and since the page was asked for.
    [this.openingTime, this.shownAt] = [performance.now() - began, performance.now()];
  }

  /** The scenario of the day, its own or one that goes the same way, to be changed by hand. */
  async write() {
    const field = byId("story").elements.text;
    const text = this.day.scenario ?? await (await ask("/api/day/scenario")).text();
    if (document.activeElement !== field) field.value = text;
  }

  setFences(fences) { return this.rerun("/api/day/fences", fences); }

  setBeacons(beacons) { return this.rerun("/api/day/beacons", beacons); }

  setChanges(changes) { return this.rerun("/api/day/changes", changes); }

  async rerun(address, list) {
    const began = performance.now();
    try {
      await this.take(await ask(address, JSON.stringify(list)), true);
      this.rerunTime = performance.now() - began;
      report();
    } catch (problem) {
      report(problem);
    }
  }

  show(isShown) {
    this.isShown = isShown;
    byId("timeline-area").hidden = !isShown || this.day.end === 0;
    if (isShown) {
      this.render();
      this.scrub(this.timeline.now);
    } else {
      this.play(false);
      for (const name of ["day", "fences", "handles", "beacons", "beacon-handles", "light", "drawn", "drawn-points"]) this.map.put(name);
    }
  }

  render() {
    if (!this.isShown) return;
    this.map.way("day", this.line ?? []);
    this.renderFences();
    renderBeacons(this);
    this.renderChanges();
    const events = this.day.events.filter((event) => event.number !== undefined || event.kind === "significant");
    this.buttons = new Map();
    fill("day-events", ...events.slice(0, 1000).map((event) => {
      const current = event === this.chosen ? "true" : undefined;
      const button = el("button", { type: "button", "aria-current": current, onclick: () => this.choose(event) },
        time(event.time), ` ${words(event)}`);
      this.buttons.set(event, button);
      return el("li", {}, button);
    }));
    if (events.length === 0) {
      fill("day-events", el("li", { class: "empty" }, this.day.end === 0 ? "Open a day to see its events."
        : "Nothing happened. Add a fence on the way, and the day is run again."));
    }
  }

  // MARK: Time

  fixAt(at) {
    let [low, high] = [0, this.track.length / 4];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.track[middle * 4] <= at) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return undefined;
    const index = (low - 1) * 4;
    return {
      time: this.track[index], latitude: this.track[index + 1], longitude: this.track[index + 2],
      accuracy: this.track[index + 3],
    };
  }

  scrub(at) {
    this.timeline.move(at);
    if (!this.isShown) return;
    const fix = this.fixAt(this.timeline.now);
    if (fix) this.map.showFix(fix, fix.accuracy);
    else this.map.forgetFix();
    // Words ten times a second: nobody reads more, and frames stay small.
    if (!this.speaking) {
      this.showMoment(fix);
      this.speaking = setTimeout(() => {
        this.speaking = undefined;
        this.showMoment(this.fixAt(this.timeline.now));
      }, 100);
    }
    clearTimeout(this.linking);
    this.linking = setTimeout(() => {
      if (this.day.end > 0) history.replaceState(null, "", `#t=${new Date(this.timeline.now).toISOString()}`);
    }, 300);
  }

  /** What holds at this time, in elements that stay. */
  showMoment(fix) {
    byId("clock").textContent = clockText(this.timeline.now);
    byId("clock").title = new Date(this.timeline.now).toISOString();
    if (!this.moment) {
      const names = ["Last fix", "Place", "Within (68 %)", "Hardware", "App"];
      this.moment = names.map(() => el("span"));
      list("moment", names.map((name, index) => [name, this.moment[index]]));
    }
    const latest = (events) => events?.findLast((event) => event.time <= this.timeline.now)?.name;
    const texts = [
      fix ? clockText(fix.time) : "none yet", degrees(fix), length(fix?.accuracy),
      latest(this.tiers) ?? "off", latest(this.lives) ?? "in use",
    ];
    texts.forEach((text, index) => {
      if (this.moment[index].textContent !== text) this.moment[index].textContent = text;
    });
    this.moment[0].title = fix ? new Date(fix.time).toISOString() : "";
  }

  goToLink() {
    const at = Date.parse(decodeURIComponent(location.hash.match(/^#t=(.+)$/)?.[1] ?? ""));
    if (!Number.isNaN(at) && at >= this.day.begin && at <= this.day.end) this.scrub(at);
  }

  play(isPlaying) {
    this.isPlaying = isPlaying && this.day.end > 0;
    byId("play").setAttribute("aria-pressed", String(this.isPlaying));
    byId("play").textContent = this.isPlaying ? "Pause" : "Play";
    if (!this.isPlaying) return;
    if (this.timeline.now >= this.day.end) this.scrub(this.day.begin);
    let last = performance.now();
    const frame = (now) => {
      if (!this.isPlaying) return;
      this.scrub(this.timeline.now + (now - last) * Number(byId("rate").value));
      last = now;
      if (this.timeline.now >= this.day.end) this.play(false);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  step(direction) {
    const events = this.day.events.filter((event) => event.number !== undefined);
    const now = this.chosen?.time ?? this.timeline.now;
    const next = direction > 0 ? events.find((event) => event.time > now)
      : events.findLast((event) => event.time < now);
    if (next) this.choose(next);
  }

  // MARK: Why

  choose(event) {
    this.buttons?.get(this.chosen)?.removeAttribute("aria-current");
    this.chosen = event;
    this.buttons?.get(event)?.setAttribute("aria-current", "true");
    const text = byId("explanation");
    text.hidden = false;
    text.textContent = event.text ?? words(event);
    this.scrub(event.time);
    const fixes = [];
    if (event.first !== undefined) {
      for (let at = 0; at < this.track.length && fixes.length < 300; at += 4) {
        if (this.track[at] < event.first || this.track[at] > event.last) continue;
        fixes.push({ latitude: this.track[at + 1], longitude: this.track[at + 2] });
      }
    }
    this.lit = fixes.length;
    this.map.points("light", fixes, "--bad");
    const fence = this.day.fences.find((fence) => fence.identifier === event.name && event.kind === "condition");
    this.map.fit([...fixes.map((fix) => [fix.latitude, fix.longitude]),
      ...(fence ? [[fence.latitude, fence.longitude]] : [])]);
  }

  // MARK: Fences and ways

  mode(clicks) {
    this.clicks = clicks;
    for (const id of ["add-fence", "add-beacon", "draw"]) byId(id).setAttribute("aria-pressed", String(clicks === id));
  }

  clicked(at) {
    if (!this.isShown) return;
    const place = at.wrap();
    if (this.clicks === "add-fence") {
      this.mode();
      this.addFence(place.lat, place.lng);
    }
    if (this.clicks === "add-beacon") {
      this.mode();
      this.addBeacon(place.lat, place.lng);
    }
    if (this.clicks === "draw") {
      this.points.push([place.lat, place.lng]);
      this.drawPoints();
    }
  }

  addFence(latitude, longitude) {
    this.setFences([...this.day.fences, { ...named(this.day, "fence", latitude, longitude), radius: 100 }]);
  }

  addBeacon(latitude, longitude) {
    this.setBeacons([...this.day.beacons, named(this.day, "beacon", latitude, longitude)]);
  }

  renderFences() {
    const fences = this.day.fences;
    const change = (index, part) => this.setFences(
      fences.map((fence, at) => at === index ? { ...fence, ...part } : fence));
    this.map.circles("fences", fences);
    this.map.handles("handles", fences, (index, at) =>
      change(index, { latitude: at.lat, longitude: at.lng }));
    const rows = fences.map((fence, index) => el("li", {},
      el("strong", {}, fence.identifier), " ",
      ...[["latitude", "any"], ["longitude", "any"], ["radius", "1"]].map(([name, step]) => el("label", {},
        `${name} `, el("input", {
          type: "number", step, value: String(fence[name]), "aria-label": `${name} of ${fence.identifier}`,
          onchange: (event) => change(index, { [name]: Number(event.target.value) }),
        }), " ")),
      el("button", {
        type: "button", "aria-label": `Remove ${fence.identifier}`,
        onclick: () => this.setFences(fences.filter((_, at) => at !== index)),
      }, "Remove")));
    byId("fences").replaceChildren(rows.length ? el("ul", {}, ...rows)
      : el("p", { class: "empty" }, "No fence yet. Add one, and the day is run again with it."));
  }

  renderChanges() {
    const changes = this.day.changes;
    const rows = changes.map((change, index) => el("li", {},
      el("button", { type: "button", onclick: () => this.scrub(change.time) }, time(change.time), ` ${change.text}`), " ",
      el("button", {
        type: "button", "aria-label": `Remove ${change.text}`,
        onclick: () => this.setChanges(changes.filter((_, at) => at !== index)),
      }, "Remove")));
    byId("changes").replaceChildren(rows.length ? el("ul", {}, ...rows)
      : el("p", { class: "empty" }, "Nothing yet: choose a time below, and what happens then: a permission, an answer, a fault."));
  }

  drawPoints() {
    this.map.way("drawn", this.points, { dashArray: "6 4" });
    this.map.points("drawn-points", this.points.map(([latitude, longitude]) => ({ latitude, longitude })), "--accent");
  }

  /** Writes what was drawn as a scenario, and runs it. */
  go(form) {
    if (this.points.length < 2) return report("Press Draw, then click two places or more on the map.");
    const words = this.points.map((point) => point.map((value) => value.toFixed(6)).join(","));
    const lines = ["scenario A drawn way", `place ${words[0]}`];
    for (const fence of this.day.fences) {
      lines.push(`condition ${fence.identifier.replaceAll(/\s/g, "-")} ${fence.latitude},${fence.longitude} ${fence.radius}`);
    }
    for (const beacon of this.day.beacons) {
      lines.push(`beacon ${beacon.identifier.replaceAll(/\s/g, "-")} ${beacon.latitude},${beacon.longitude}`);
    }
    words.slice(1).forEach((word, index) => {
      const sky = form.get("sky") === "open" ? "" : ` under ${form.get("sky")}`;
      lines.push(`${index === 0 ? "00:00:00" : "then"} walk to ${word} at ${form.get("speed")}${sky}`);
    });
    if (Number(form.get("stay")) > 0) lines.push(`then stay ${form.get("stay")}min`);
    this.mode();
    return this.send("drawn.txt", lines.join("\n") + "\n");
  }
}
