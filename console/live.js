// What the daemon is doing now, as its owner may see it.
import { ask, byId, degrees, el, fill, length, list, milliseconds, report, table, time } from "/words.js";
import { LiveTimeline } from "/lanes.js";
import { renderQuestions } from "/questions.js";
import { renderBeacons, renderSky } from "/sky.js";

/** Everything that is shown. */
const all = ["daemon", "status", "apps", "conditions", "events", "access", "log", "trail", "questions"];
const levels = ["never", "ask", "whenInUse", "always"];
const reasons = {
  lessAccurate: "another is more accurate", contradicted: "another contradicts it, and is believed",
  olderThanCurrent: "another gave a later one", unconfirmedJump: "too far from the one before, not confirmed",
  unconfirmedClock: "its date jumped, not confirmed",
};

/** What has become of a source's newest fix. */
const useText = (fix) => ({
  current: "is the last fix", fused: "the last fix rests on it too", earlier: "another has followed it",
}[fix.use] ?? `refused: ${reasons[fix.reason] ?? fix.reason ?? "no reason is known"}`);
const useLook = (fix) => ({ current: "good", fused: "good", earlier: "doubt" }[fix.use] ?? "bad");

/** What speaks for a change, with a bar from one half to the threshold and beyond. */
function beliefOf(name, belief) {
  if (!belief) return "";
  const share = (value) => `${Math.floor(value * 100)} %`;
  return el("span", { class: "bar" }, el("meter", {
    min: "0.5", max: "1", low: "0.8", high: String(belief.threshold), value: String(belief.probability),
    "aria-label": `Belief that ${name} becomes ${belief.towards}`,
  }), ` ${belief.towards} ${share(belief.probability)}, decided at ${share(belief.threshold)}`);
}

export class Live {
  constructor(map) {
    this.map = map;
    this.state = {};
    this.trail = [];
    this.log = [];
    this.isShown = true;
    this.timeline = new LiveTimeline((at) => this.look(at), (event) => this.explain(event));
    /** From the time of a fix to the frame that shows it, in milliseconds. */
    this.delays = [];
    byId("services").addEventListener("change", (event) =>
      this.change("services", { on: event.target.checked }));
    byId("answers").addEventListener("change", (event) => this.change("questions", { on: event.target.checked }));
    // While a choice is open its table stays as it is.
    byId("apps").addEventListener("focusout", () => setTimeout(() => this.renderApps()));
    byId("watch").addEventListener("submit", (event) => {
      event.preventDefault();
      const place = this.state.status?.lastFix?.place;
      if (!place) return report("There is no fix yet to watch a circle around.");
      const form = new FormData(event.target);
      this.change("watch", { identifier: form.get("identifier"), radius: Number(form.get("radius")), ...place });
    });
  }

  async change(what, body) {
    try {
      await ask(`/api/${what}`, JSON.stringify(body));
      report();
    } catch (problem) {
      report(problem);
      this.render();
    }
  }

  /** Asks again and again; each answer comes as soon as something is new. */
  async follow() {
    let after;
    for (;;) {
      try {
        const answer = await ask(after === undefined ? "/api/live" : `/api/live?after=${after}`);
        const news = await answer.json();
        after = news.version;
        this.take(news);
      } catch (problem) {
        byId("state").textContent = problem.status === 401 || problem.status === 403
          ? "This page is no longer open here. Run locationctl console again."
          : "The console has been closed. Run locationctl console again.";
        if (problem.status) return;
        await new Promise((done) => setTimeout(done, 2000));
      }
    }
  }

  take(news) {
    if (news.whole) {
      [this.state, this.trail, this.log] = [{}, [], []];
      this.timeline.clear();
    }
    const { trail, log, marks, version, whole, ...parts } = news;
    if (parts.daemon?.problem) this.state = { questions: this.state.questions };
    Object.assign(this.state, parts);
    const fixes = trail.filter((fix) => fix.place);
    this.trail.push(...fixes);
    if (this.trail.length > 10000) this.trail.splice(0, 2000);
    this.timeline.take(marks, fixes, parts.events);
    this.log.push(...log);
    if (this.log.length > 500) this.log.splice(0, this.log.length - 400);
    this.later(parts.daemon?.problem || whole ? all
      : [...Object.keys(parts), ...(log.length ? ["log"] : []), ...(fixes.length ? ["trail"] : [])]);
    const last = fixes[fixes.length - 1];
    if (last && !whole) {
      requestAnimationFrame(() => {
        this.delays.push(Date.now() - milliseconds(last.time));
        if (this.delays.length > 10000) this.delays.shift();
      });
    }
  }

  show(isShown) {
    this.isShown = isShown;
    byId("live-timeline-area").hidden = !isShown;
    if (isShown) {
      this.render();
      this.timeline.later();
    } else {
      for (const name of ["trail", "refused", "conditions", "own", "coarse", "visit", "heading", "light"]) this.map.put(name);
    }
  }

  /** Shows where the device was at a time of the timeline; nothing for now. */
  look(at) {
    const fix = at === undefined ? undefined : this.trail.findLast((fix) => milliseconds(fix.time) <= at);
    this.map.points("light", fix ? [fix.place] : [], "--bad");
    if (at === undefined) byId("live-explanation").hidden = true;
  }

  /** Says why an event came, and lights the fixes that decided it. */
  explain(event) {
    const text = byId("live-explanation");
    text.hidden = false;
    text.textContent = event.text ?? `${event.name} ${event.state}`;
    const fixes = event.first === undefined ? [] : this.trail.filter((fix) =>
      milliseconds(fix.time) >= event.first && milliseconds(fix.time) <= event.last);
    this.lit = fixes.length;
    this.map.points("light", fixes.slice(0, 300).map((fix) => fix.place), "--bad");
  }

  /** Shows what has changed in the next frame, whatever else comes before it; a hidden page has none. */
  later(changed) {
    const isWaiting = this.pending !== undefined;
    this.pending = new Set([...(this.pending ?? []), ...changed]);
    if (isWaiting) return;
    requestAnimationFrame(() => {
      const changed = this.pending;
      this.pending = undefined;
      this.render(changed);
    });
  }

  render(changed) {
    const has = (name) => !changed || changed.has(name);
    if (has("daemon") || has("status")) this.renderStatus();
    if (has("questions")) renderQuestions(this.state.questions, (answer) => this.change("answer", answer));
    if (has("apps")) this.renderApps();
    if (has("conditions")) this.renderConditions();
    if (has("events")) this.renderEvents();
    if (has("access")) this.renderAccess();
    if (has("log")) this.renderLog();
    if (this.isShown && (has("trail") || has("status"))) this.renderMap();
  }

  renderStatus() {
    const { daemon, status } = this.state;
    const services = byId("services");
    services.disabled = !status;
    if (status) services.checked = status.servicesEnabled;
    byId("state").textContent = daemon?.problem
      ? `${daemon.problem}. Next: ${daemon.next ?? "run locationctl doctor"}`
      : status
        ? `Daemon ${status.pid}, ${status.clients.length} program${status.clients.length === 1 ? "" : "s"} connected`
        : "Asking the location daemon…";
    const fix = status?.lastFix;
    const demand = status?.demand;
    const { heading, coarse, motion, visit } = status ?? {};
    const shares = status?.shares ?? [];
    list("now", status ? [
      ["Last fix", fix ? time(milliseconds(fix.time)) : "none yet: open an app that asks for locations"],
      ["Place", fix ? degrees(fix.place) : "–"],
      ["Within (68 %)", fix ? length(fix.accuracy) : "–"],
      ["Reduced accuracy", !coarse ? "no app has needed it" : `${degrees(coarse.place)}, within ${length(coarse.accuracy)}`
        + (fix?.place && coarse.place ? `, ${length(this.map.apart(fix.place, coarse.place))} from the fix` : "")],
      ["Heading", !heading ? "no app asks for it" : `${Math.round(heading.trueHeading ?? heading.magneticHeading)}° `
        + (heading.trueHeading === undefined ? "magnetic" : "true")
        + (heading.accuracy === undefined ? ", not calibrated or disturbed" : ` ± ${Math.round(heading.accuracy)}°`)],
      ["Movement", !motion ? "nothing needs to know" : `${motion.activity ? `${motion.activity}, ` : ""}`
        + `${motion.speed.toFixed(1)} m/s by the fixes${motion.doubting ? "; the newest waits to be confirmed" : ""}`],
      ["Visit", visit ? el("span", {}, visit.arrival ? "since " : "lasts", visit.arrival ? time(milliseconds(visit.arrival)) : "",
        " ", beliefOf("the visit", visit.departure)) : "none, or no app asks for visits"],
      ["Set from outside", status.simulated ? "yes, in place of all sources" : "no"],
      ["Hardware", demand?.tier ? `${demand.tier}${demand.interval ? `, every ${demand.interval / 1e9} s` : ""}`
        : "off: nobody needs positions"],
      ["Needed by", shares.length === 0 ? "nobody" : el("ul", {}, ...shares.map((share) => el("li", {},
        `${share.client}: ${share.demand.tier ?? "no position"}`)))],
      ["Also on", ["motion", "beacons", "magnetometer"].filter((name) => demand?.[name]).join(", ") || "nothing"],
    ] : [["Daemon", daemon?.problem ? "not running" : "…"]]);
    fill("sources", table("Sources", ["Source", "Status", "Fixes", "Refused", "Own fix", "Reason"],
      (status?.sources ?? []).map((source) => [
        source.url,
        el("span", { class: { working: "good", unavailable: "bad" }[source.status] ?? "doubt" }, source.status),
        String(source.fixes), String(source.rejected),
        source.fix ? el("span", { class: useLook(source.fix) }, time(milliseconds(source.fix.time)),
          ` within ${length(source.fix.accuracy)}, ${useText(source.fix)}`) : "",
        source.reason,
      ]), "No source. Run locationctl setup, which finds what gives positions here."));
    // Rows of satellites are many, and most fixes come without a new sky.
    const skies = JSON.stringify((status?.sources ?? []).map((source) => [source.url, source.satellites]));
    if (skies !== this.skies) renderSky(status?.sources ?? []);
    this.skies = skies;
    renderBeacons(status?.beacons);
  }

  renderApps() {
    const rows = (this.state.apps ?? []).map((app) => {
      const level = el("select", {
        "aria-label": `What ${app.app} may know`,
        onchange: (event) => this.change("authorize", { app: app.app, level: event.target.value }),
      }, ...[...new Set([...levels, app.level])].map((name) =>
        el("option", { selected: name === app.level }, name)));
      const precise = el("input", {
        type: "checkbox", checked: app.precise, "aria-label": `Exact place for ${app.app}`,
        onchange: (event) => this.change("authorize", { app: app.app, precise: event.target.checked }),
      });
      const erase = el("button", {
        type: "button", "aria-label": `Erase everything of ${app.app}`,
        onclick: () => confirm(`Erase everything that is stored of ${app.app}?`)
          && this.change("erase", { app: app.app }),
      }, "Erase");
      return [app.app, level, precise, app.life ?? "not running", this.starterOf(app), erase];
    });
    fill("apps", table("Apps", ["App", "May know", "Exact", "State", "Started by", ""], rows,
      "No app has asked yet. Start one: it appears here when it asks."));
  }

  /** What starts an app for a pending event, and the button that changes it. */
  starterOf(app) {
    const isRegistered = Boolean(app.starter);
    if (app.app === "locationctl" || !isRegistered && !app.program) return app.starter ?? "";
    return el("span", {}, isRegistered ? `${app.starter} ` : "", el("button", {
      type: "button",
      "aria-label": isRegistered ? `Start ${app.app} for events no longer` : `Start ${app.app} for events`,
      title: isRegistered ? undefined : `When an event is pending and the app does not run, ${app.program} is started`,
      onclick: () => this.change("launch", { app: app.app, registered: !isRegistered }),
    }, isRegistered ? "Remove" : "Register"));
  }

  renderConditions() {
    const conditions = this.state.conditions ?? [];
    fill("conditions", table("Regions and conditions", ["App", "Name", "State", "Since", "What speaks against it", "Radius", ""],
      conditions.map((condition) => [
        condition.app, condition.identifier,
        el("span", { class: condition.state === "satisfied" ? "good" : undefined }, condition.state),
        condition.state === "unknown" ? "" : time(milliseconds(condition.date)),
        beliefOf(condition.identifier, condition.belief),
        condition.radius === undefined ? condition.kind : length(condition.radius),
        condition.app === "locationctl" ? el("button", {
          type: "button", "aria-label": `Watch ${condition.identifier} no longer`,
          onclick: () => this.change("unwatch", { identifier: condition.identifier }),
        }, "Remove") : "",
      ]), "Nothing is watched. Watch a circle below, or start an app that does."));
    if (!this.isShown) return;
    const circles = conditions.filter((condition) => condition.polygon || condition.place && condition.radius !== undefined);
    this.map.circles("conditions",
      circles.map((condition) => ({ ...condition, ...condition.place })),
      (condition) => condition.state === "satisfied");
  }

  renderEvents() {
    const events = [...(this.state.events ?? [])].reverse();
    fill("events", events.length === 0
      ? el("p", { class: "empty" }, "No event was delivered to an app yet.")
      : el("ul", {}, ...events.map((event) => el("li", {}, el("details", {},
        el("summary", {}, time(event.time), ` ${event.app}: ${event.name} ${event.state}`),
        el("pre", {}, event.text))))));
  }

  renderAccess() {
    fill("access", table("Who received a location", ["App", "Service", "From", "To", "Times"],
      [...(this.state.access ?? [])].reverse().slice(0, 100).map((access) => [
        access.app, access.service, time(milliseconds(access.first), true), time(milliseconds(access.last)),
        String(access.count),
      ]), "No app has received a location."));
  }

  renderLog() {
    const words = (record) => record.name ? record.message.replaceAll("‹private›", record.name) : record.message;
    fill("log", el("ul", { tabindex: "0", "aria-label": "Log" }, ...this.log.slice(-100).reverse().map((record) =>
      el("li", { class: record.fault ? "bad" : undefined },
        time(milliseconds(record.date)), ` ${record.category}: ${words(record)}`))));
    if (!this.isShown) return;
    this.map.points("refused", this.log.filter((record) => record.place).slice(-50).map((record) =>
      ({ ...record.place, text: words(record) })), "--bad");
  }

  renderMap() {
    const fix = this.state.status?.lastFix;
    if (fix?.place) this.map.showFix(fix.place, fix.accuracy);
    else this.map.forgetFix();
    this.renderBeside(fix);
    this.map.way("trail", this.trail.map((fix) => [fix.place.latitude, fix.place.longitude]));
  }

  /** What stands beside the fix: those of the sources, the coarse place, the visit, and the heading. */
  renderBeside(fix) {
    const status = this.state.status ?? {};
    const sources = (status.sources ?? []).filter((source) => source.fix?.place);
    // The only source stands where the fix does.
    const own = sources.length > 1 || sources.some((source) => source.fix.use !== "current") ? sources : [];
    this.map.places("own", own.map((source) => ({
      place: source.fix.place, accuracy: source.fix.accuracy, look: `--${useLook(source.fix)}`,
      text: `${source.url}: ${useText(source.fix)}`,
    })));
    const { coarse, visit, heading } = status;
    this.map.places("coarse", coarse?.place ? [{
      place: coarse.place, accuracy: coarse.accuracy, look: "--dim", rim: true, fill: 0.03, dashes: "8 6",
      text: "What apps with reduced accuracy know",
    }] : []);
    this.map.places("visit", visit?.place ? [{
      place: visit.place, accuracy: visit.accuracy, look: "--accent", rim: true, fill: 0.08, dashes: "2 4",
      text: "The visit that lasts",
    }] : []);
    this.map.showHeading(fix?.place, heading?.trueHeading ?? heading?.magneticHeading, heading?.accuracy,
      Math.max(60, 2 * (fix?.accuracy ?? 0)));
  }
}
