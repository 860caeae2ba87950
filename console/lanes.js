// The lanes of the live timeline: what held when, by what the daemon has said.
import { byId, clockText, el, fill } from "/words.js";
import { Timeline, moves, tierStrength } from "/timeline.js";

const kinds = ["source", "tier", "share", "motion", "belief", "visit", "life", "permission"];
const names = { tier: "Hardware", motion: "Motion", visit: "Visit" };
const levels = { always: 0.8, whenInUse: 0.55, once: 0.4, ask: 0.2, never: 0.1 };

/** How what holds in a lane is drawn. */
function look(kind, mark) {
  switch (kind) {
    case "source": return { working: ["good", 0.7], searching: ["doubt", 0.5] }[mark.value] ?? ["bad", 0.5];
    case "tier": case "share": return ["doubt", tierStrength(mark.value)];
    case "motion": return ["accent", moves[mark.value] ?? 0.5];
    case "visit": return ["accent", mark.level === undefined ? 0.6 : 0.3];
    case "life": return ["dim", mark.value === "foreground" ? 0.7 : 0.35];
    default: return ["doubt", levels[mark.value.split(",")[0]] ?? 0.3];
  }
}

/** Of a service, its app's last word and itself, such as `AsyncApp live`. */
function service(name) {
  const [app, ...rest] = name.split("/").slice(-2);
  return [app.split(".").pop(), ...rest].join(" ");
}

const title = (kind, name) => names[kind] ?? {
  share: service(name), life: `${name.split(/[./]/).pop()} runs`,
  permission: `${name.split(/[./]/).pop()} may`,
}[kind] ?? name;

export class LiveTimeline {
  /** `shown` is called with a time that a person looks at, or nothing for now; `chosen` with an event. */
  constructor(shown, chosen) {
    [this.shown, this.chosen] = [shown, chosen];
    this.timeline = new Timeline((at) => this.scrub(at), (event) => this.choose(event), "live-timeline", "live-line");
    this.clear();
    this.span = 10 * 60000;
    byId("live-now").addEventListener("click", () => this.follow());
    byId("live-in").addEventListener("click", () => this.zoom(0.5));
    byId("live-out").addEventListener("click", () => this.zoom(2));
    byId("live-earlier").addEventListener("click", () => this.step(-1));
    byId("live-later").addEventListener("click", () => this.step(1));
  }

  clear() {
    [this.marks, this.fixes, this.events, this.lanes] = [[], [], [], []];
    this.begin = this.end = Date.now();
    this.isFollowing = true;
  }

  /** Takes what is new; nothing is drawn before the next frame, and nothing while nothing is new. */
  take(marks, fixes, events) {
    this.marks.push(...marks);
    if (this.marks.length > 10000) {
      // The newest of each lane stays, since it may hold still.
      const newest = new Map(this.marks.splice(0, 2000).map((mark) => [`${mark.kind} ${mark.name}`, mark]));
      this.marks.unshift(...[...newest.values()].sort((one, other) => one.time - other.time).slice(-1000));
    }
    for (const fix of fixes) this.addFix(fix);
    if (events) this.events = events;
    const times = [...marks.slice(-1).map((mark) => mark.time), ...fixes.slice(-1).map((fix) => fix.time / 1e6)];
    if (times.length === 0 && !events) return;
    this.end = Math.max(this.end, ...times);
    this.begin = Math.min(this.begin, this.marks[0]?.time ?? this.end, this.fixes[0]?.from ?? this.end);
    this.later();
  }

  addFix(fix) {
    const at = fix.time / 1e6;
    const strength = fix.accuracy <= 10 ? 0.8 : fix.accuracy <= 50 ? 0.5 : 0.25;
    const last = this.fixes[this.fixes.length - 1];
    if (last && last.strength === strength && at - last.to <= 10000) last.to = Math.max(last.to, at);
    else this.fixes.push({ from: at, to: at + 500, look: "accent", strength });
    if (this.fixes.length > 4000) this.fixes.splice(0, 1000);
  }

  later() {
    if (this.isWaiting || byId("live-timeline-area").hidden) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  draw() {
    this.lanes = this.build();
    const window = this.isFollowing ? [this.end - this.span, this.end + this.span / 50]
      : [this.timeline.from, this.timeline.to];
    const now = this.isFollowing ? this.end : this.timeline.now;
    this.timeline.update({ begin: this.begin, end: this.end }, this.lanes, window, now);
    this.say(now);
  }

  build() {
    const of = new Map();
    for (const mark of this.marks) {
      const key = `${mark.kind} ${mark.name}`;
      if (!of.has(key)) of.set(key, { kind: mark.kind, name: mark.name, marks: [] });
      of.get(key).marks.push(mark);
    }
    const sorted = [...of.values()].sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
    return [{ name: "Fixes", spans: this.fixes, marks: [] }, ...sorted.map((lane) => this.lane(lane))];
  }

  lane({ kind, name, marks }) {
    const spans = marks.flatMap((mark, index) => {
      if (mark.value === "") return [];
      const span = { from: mark.time, to: marks[index + 1]?.time ?? this.end };
      if (kind === "belief") {
        return mark.level === undefined ? [] : [{ ...span, look: "good", level: mark.level, threshold: mark.threshold }];
      }
      const [color, strength] = look(kind, mark);
      return [{ ...span, look: color, strength }];
    });
    const events = this.events.filter((event) => kind === "visit" ? event.kind === "visit"
      : kind === "belief" && name === `${event.name} (${event.app})`);
    const changes = kind === "permission" ? marks.slice(1).map((mark) => ({ time: mark.time, look: "bad" })) : [];
    return {
      name: title(kind, name), whole: names[kind] ?? `${kind} ${name}`, spans, values: marks,
      marks: [...changes, ...events.map((event) => ({ time: event.time, look: kind === "visit" ? "accent" : "good", event }))],
    };
  }

  /** What held at a time, in words. */
  holding(at) {
    return this.lanes.flatMap((lane) => {
      const mark = lane.values?.findLast((mark) => mark.time <= at);
      if (!mark || mark.value === "") return [];
      const level = mark.level === undefined ? "" : `, ${Math.round(mark.level * 100)} %`;
      return [[lane.whole, mark.value + level]];
    });
  }

  say(at) {
    byId("live-clock").textContent = this.isFollowing ? "Now" : clockText(at);
    byId("live-now").setAttribute("aria-pressed", String(this.isFollowing));
    const held = this.isFollowing ? [] : this.holding(at);
    byId("live-moment").hidden = this.isFollowing;
    fill("live-moment", ...held.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    byId("live-timeline").setAttribute("aria-valuetext", this.isFollowing ? "Now"
      : `${clockText(at)}: ${held.map(([name, value]) => `${name} ${value}`).join("; ")}`);
  }

  scrub(at) {
    this.isFollowing = false;
    this.timeline.move(at);
    this.say(this.timeline.now);
    this.shown(this.timeline.now);
  }

  follow() {
    this.isFollowing = true;
    this.draw();
    this.shown();
  }

  zoom(factor) {
    this.span = Math.min(Math.max(this.span * factor, 1000), 7 * 86400000);
    if (this.isFollowing) this.draw();
    else this.timeline.zoom(factor);
  }

  choose(event) {
    this.scrub(event.time);
    this.chosen(event);
  }

  step(direction) {
    const at = this.isFollowing ? this.end + 1 : this.timeline.now;
    const next = direction > 0 ? this.events.find((event) => event.time > at)
      : this.events.findLast((event) => event.time < at);
    if (next) this.choose(next);
  }
}
