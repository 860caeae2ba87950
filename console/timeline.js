// The timeline: lanes over the time of a day, from a day to a second.
import { byId, clockText, languages } from "/words.js";

const gutter = 92;
const tiers = { cell: 0.3, network: 0.45, satellite: 0.7, navigation: 1 };

/** How strongly a tier is drawn, by its name or words that begin with it. */
export const tierStrength = (words) => tiers[words.split(/[,;]/)[0]] ?? (words === "off" || words === "" ? 0 : 0.2);

export class Timeline {
  /** `scrub` is called with a time, `choose` with an event. */
  constructor(scrub, choose, canvas = "timeline", line = "line") {
    this.canvas = byId(canvas);
    // The line of the time is apart, so that a scrub paints no lane again.
    this.line = byId(line);
    this.paper = this.canvas.getContext("2d");
    [this.scrub, this.choose] = [scrub, choose];
    this.lanes = [];
    this.set({ begin: 0, end: 1 }, []);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.listen();
  }

  /** Shows lanes from the begin of a day to its end. */
  set(day, lanes) {
    this.update(day, lanes, [day.begin, Math.max(day.end, day.begin + 1000)], day.begin);
  }

  /** Shows lanes in a window, with the line at a time. */
  update(day, lanes, [from, to], now) {
    [this.day, this.lanes, this.from, this.to, this.now] = [day, lanes, from, to, now];
    this.canvas.style.height = `${26 + this.lanes.length * 22}px`;
    this.draw();
  }

  move(now) {
    this.now = Math.min(Math.max(now, this.day.begin), this.day.end);
    if (this.now < this.from || this.now > this.to) {
      const span = this.to - this.from;
      [this.from, this.to] = [this.now - span / 2, this.now + span / 2];
      this.draw();
    }
    const share = (this.now - this.day.begin) / Math.max(this.day.end - this.day.begin, 1);
    this.canvas.setAttribute("aria-valuenow", String(Math.round(share * 1000)));
    this.canvas.setAttribute("aria-valuetext", clockText(this.now));
    this.place();
  }

  zoom(factor, around = this.now) {
    const longest = Math.max(this.day.end - this.day.begin + 2000, this.to - this.from);
    const span = Math.min(Math.max((this.to - this.from) * factor, 1000), longest);
    const share = (around - this.from) / (this.to - this.from);
    this.from = around - span * share;
    this.to = this.from + span;
    this.draw();
  }

  listen() {
    let isDown = false;
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      isDown = true;
      this.canvas.setPointerCapture(event.pointerId);
      const [x, y] = at(event);
      const found = this.eventAt(x, y);
      if (found) this.choose(found);
      else this.scrub(this.timeAt(x));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (isDown) this.scrub(this.timeAt(at(event)[0]));
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => { isDown = false; });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(at(event)[0]));
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 1000 : (this.to - this.from) / 100;
      const moves = {
        ArrowLeft: () => this.scrub(this.now - step), ArrowRight: () => this.scrub(this.now + step),
        PageUp: () => this.scrub(this.now - 10 * step), PageDown: () => this.scrub(this.now + 10 * step),
        Home: () => this.scrub(this.day.begin), End: () => this.scrub(this.day.end),
        "+": () => this.zoom(0.5), "-": () => this.zoom(2),
      };
      if (!moves[event.key]) return;
      event.preventDefault();
      moves[event.key]();
    });
  }

  x(time) { return gutter + (time - this.from) / (this.to - this.from) * (this.width - gutter); }
  timeAt(x) { return this.from + (x - gutter) / (this.width - gutter) * (this.to - this.from); }

  eventAt(x, y) {
    const lane = this.lanes[Math.floor((y - 22) / 22)];
    if (!lane || x < gutter) return undefined;
    let [best, distance] = [undefined, 7];
    for (const mark of lane.marks) {
      const away = Math.abs(this.x(mark.time) - x);
      if (mark.event && away < distance) [best, distance] = [mark.event, away];
    }
    return best;
  }

  /** Puts the line where the time is. */
  place() {
    const x = this.x(this.now);
    this.line.hidden = x < gutter || x > this.width;
    this.line.style.transform = `translateX(${x - 1}px)`;
  }

  draw() {
    const scale = devicePixelRatio || 1;
    // Kept: asking for it while scrubbing would lay the whole page out.
    this.width = this.canvas.clientWidth;
    const [width, height] = [this.width, this.canvas.clientHeight];
    if (width === 0) return;
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      [this.canvas.width, this.canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    }
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(`--${name}`).trim();
    this.look = { text: value("text"), dim: value("dim"), line: value("line"), accent: value("accent"),
      bad: value("bad"), good: value("good"), doubt: value("doubt") };
    const paper = this.paper;
    paper.setTransform(scale, 0, 0, scale, 0, 0);
    paper.clearRect(0, 0, width, height);
    paper.font = "12px system-ui, sans-serif";
    paper.textBaseline = "middle";
    this.drawTimes(paper, width, height);
    this.lanes.forEach((lane, index) => this.drawLane(paper, lane, 22 + index * 22, width));
    this.line.style.height = `${height}px`;
    this.place();
  }

  drawTimes(paper, width, height) {
    const seconds = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 7 * 86400];
    const room = (this.to - this.from) / 1000 / ((width - gutter) / 90);
    const step = (seconds.find((value) => value >= room) ?? 30 * 86400) * 1000;
    const offset = new Date(this.from).getTimezoneOffset() * 60000;
    paper.fillStyle = this.look.dim;
    const format = new Intl.DateTimeFormat(languages, step < 60000 ? { timeStyle: "medium" } : { timeStyle: "short" });
    for (let at = Math.ceil((this.from - offset) / step) * step + offset; at < this.to; at += step) {
      const x = this.x(at);
      if (x < gutter) continue;
      paper.globalAlpha = 0.4;
      paper.fillRect(x, 0, 1, height);
      paper.globalAlpha = 1;
      paper.fillText(format.format(at), x + 3, 9);
    }
  }

  drawLane(paper, lane, top, width) {
    paper.fillStyle = this.look.line;
    paper.fillRect(0, top, width, 1);
    paper.fillStyle = this.look.text;
    paper.fillText(lane.name.slice(0, 14), 2, top + 11, gutter - 6);
    for (const span of lane.spans) {
      const [left, right] = [Math.max(this.x(span.from), gutter), Math.min(this.x(span.to), width)];
      if (right < gutter || left > width) continue;
      paper.globalAlpha = span.strength ?? 0.6;
      paper.fillStyle = this.look[span.look];
      const high = 13 * (span.level ?? 1);
      paper.fillRect(left, top + 18 - high, Math.max(right - left, 1), high);
      if (span.threshold === undefined) continue;
      paper.fillStyle = this.look.bad;
      paper.globalAlpha = 1;
      paper.fillRect(left, top + 18 - 13 * span.threshold, Math.max(right - left, 1), 1);
    }
    paper.globalAlpha = 1;
    for (const mark of lane.marks) {
      const x = this.x(mark.time);
      if (x < gutter || x > width) continue;
      paper.fillStyle = this.look[mark.look];
      paper.fillRect(x - 1.5, top + 3, 3, 17);
    }
  }
}

/** The lanes of a day, each with what lasts and what happens. */
export function dayLanes(day, track) {
  const of = (...kinds) => day.events.filter((event) => kinds.includes(event.kind));
  const lane = (name, spans, marks) => ({ name, spans, marks });
  const marks = (events, look) => events.map((event) => ({ time: event.time, look, event }));
  const lasting = (events, look, strength) => events.map((event, index) => ({
    from: event.time, to: events[index + 1]?.time ?? day.end, look, strength: strength(event),
  })).filter((span) => span.strength > 0);
  const all = [lane("Fixes", fixSpans(track), [])];
  all.push(lane("Hardware", lasting(of("tier"), "doubt", (event) => tiers[event.name] ?? 0), []));
  const held = laneMarks(day.marks ?? []);
  for (const [name, marks] of held.share) {
    all.push(lane(name.split(".").pop(), holding(marks, day.end, "doubt", (mark) => tierStrength(mark.value)), []));
  }
  if (held.motion.size > 0) {
    all.push(lane("Motion", holding(held.motion.get(""), day.end, "accent", (mark) => moves[mark.value] ?? 0.5), []));
  }
  for (const fence of [...day.fences, ...day.beacons ?? []]) {
    const beliefs = (held.belief.get(fence.identifier) ?? []);
    const events = day.events.filter((event) => event.kind === "condition" && event.name === fence.identifier);
    all.push(lane(fence.identifier, [...lasting(events, "good", (event) => event.state === "satisfied" ? 0.5 : 0),
      ...holding(beliefs, day.end, "accent", () => 0.8)], marks(events, "good")));
  }
  const visits = of("visit");
  all.push(lane("Visits", lasting(visits, "accent", (event) => event.state === "arrived" ? 0.5 : 0),
    marks(visits, "accent")));
  all.push(lane("Significant", [], marks(of("significant"), "accent")));
  const lives = of("life");
  if (lives.length > 0) {
    all.push(lane("App", lasting(lives, "dim", (event) => event.name === "foreground" ? 0.7 : 0.3), marks(lives, "dim")));
  }
  all.push(lane("Permission", [], marks(of("permission", "question", "beacon"), "bad")));
  if (day.notes.length > 0) {
    all.push(lane("Story", [], day.notes.map((note) => ({
      time: note.time, look: "doubt", event: { ...note, kind: "note", name: note.text, state: "" },
    }))));
  }
  return all;
}

/** How strongly each way to move is drawn. */
export const moves = {
  stationary: 0.2, "at rest": 0.2, unknown: 0.1, walking: 0.5, running: 0.6, cycling: 0.7, automotive: 0.9,
};

/** Marks by kind and name, in the order of the names. */
function laneMarks(marks) {
  const of = { share: new Map(), motion: new Map(), belief: new Map() };
  for (const mark of marks) {
    const lane = of[mark.kind];
    if (!lane.has(mark.name)) lane.set(mark.name, []);
    lane.get(mark.name).push(mark);
  }
  return of;
}

/** What lasts from each mark to the next. */
function holding(marks, end, look, strength) {
  return marks.flatMap((mark, index) => mark.value === "" ? [] : [{
    from: mark.time, to: marks[index + 1]?.time ?? end, look, strength: strength(mark),
    level: mark.level, threshold: mark.threshold,
  }]);
}

/** Where fixes follow each other within ten seconds, and how exact they are. */
function fixSpans(track) {
  const spans = [];
  let span;
  for (let at = 0; at < track.length; at += 4) {
    const strength = track[at + 3] <= 10 ? 0.8 : track[at + 3] <= 50 ? 0.5 : 0.25;
    if (span && track[at] - span.to <= 10000 && span.strength === strength) span.to = track[at];
    else spans.push(span = { from: track[at], to: track[at] + 1000, look: "accent", strength });
  }
  return spans.length > 5000 ? spans.filter((span) => span.to - span.from > 2000).slice(0, 5000) : spans;
}
