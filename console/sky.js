// What a receiver hears: where its satellites stand, and how strong each is; and beacons.
import { byId, el, fill, length, milliseconds, table, time } from "/words.js";

const letters = { gps: "G", sbas: "S", galileo: "E", beidou: "C", imes: "M", qzss: "J", glonass: "R", navic: "I" };

/** The name as in RINEX: a letter for the system, and the number. */
export const satelliteName = (one) => `${letters[one.system] ?? "?"}${String(one.number).padStart(2, "0")}`;

function drawing(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** North is up and east at the right, as on a map held above the head and turned: the rim is the horizon. */
function plot(satellites, label) {
  const [middle, radius] = [110, 92];
  const parts = [90, 60, 30].map((high) =>
    drawing("circle", { cx: middle, cy: middle, r: radius * high / 90, class: "ring" }));
  for (const [name, x, y] of [["N", 0, -1], ["E", 1, 0], ["S", 0, 1], ["W", -1, 0]]) {
    parts.push(drawing("text", { x: middle + x * 102, y: middle + y * 102 + 4, class: "rim" }, name));
  }
  for (const one of satellites) {
    if (one.elevation === undefined || one.azimuth === undefined || one.elevation < 0) continue;
    const away = radius * (90 - one.elevation) / 90;
    const turn = one.azimuth * Math.PI / 180;
    const [x, y] = [middle + away * Math.sin(turn), middle - away * Math.cos(turn)];
    const look = one.used ? "used" : one.signal === undefined ? "unheard" : "heard";
    parts.push(drawing("circle", { cx: x, cy: y, r: 3 + (one.signal ?? 0) / 10, class: look }));
    parts.push(drawing("text", { x, y: y - 9, class: "name" }, satelliteName(one)));
  }
  return drawing("svg", { viewBox: "0 0 220 220", class: "sky", role: "img", "aria-label": label }, ...parts);
}

/** One plot and one table with bars for each source that names satellites. */
export function renderSky(sources) {
  const seen = sources.filter((source) => source.satellites?.length);
  if (seen.length === 0) {
    const isReceiver = sources.some((source) => /^(nmea|gpsd)/.test(source.url));
    return fill("sky", el("p", { class: "empty" }, isReceiver
      ? "The receiver has named no satellite yet. It does while an app asks for positions."
      : "No source of this computer is a satellite receiver."));
  }
  fill("sky", ...seen.flatMap((source) => {
    const sorted = [...source.satellites].sort((one, other) =>
      other.used - one.used || (other.signal ?? -1) - (one.signal ?? -1));
    const used = sorted.filter((one) => one.used).length;
    const words = `${used} of ${sorted.length} satellites in use`;
    const rows = sorted.map((one) => [
      satelliteName(one),
      one.elevation === undefined ? "" : `${Math.round(one.elevation)}°`,
      one.azimuth === undefined ? "" : `${Math.round(one.azimuth)}°`,
      one.signal === undefined ? "not received" : el("span", { class: "bar" }, el("meter", {
        min: "0", max: "60", low: "25", high: "35", optimum: "60", value: String(one.signal),
        "aria-label": `Signal of ${satelliteName(one)}`,
      }), ` ${Math.round(one.signal)}`),
      one.used ? "yes" : "",
    ]);
    return [
      el("p", {}, `${source.url}: ${words}`),
      el("div", { class: "skies" }, plot(sorted, `Sky of ${source.url}: ${words}`),
        table(`Satellites of ${source.url}`, ["Satellite", "Elevation", "Azimuth", "Signal, dB-Hz", "In use"], rows, "")),
    ];
  }));
}

export function renderBeacons(beacons) {
  byId("beacons").hidden = false;
  fill("beacons", table("Beacons", ["Beacon", "Proximity", "Distance", "Signal, dBm", "Last received"],
    (beacons ?? []).map((beacon) => [
      `${beacon.uuid} ${beacon.major} ${beacon.minor}`,
      el("span", { class: { immediate: "good", near: "good", far: "doubt" }[beacon.proximity] }, beacon.proximity),
      beacon.accuracy === undefined ? "–" : `± ${length(beacon.accuracy)}`,
      beacon.rssi === undefined ? "–" : String(beacon.rssi), time(milliseconds(beacon.time)),
    ]), "No app ranges beacons. An app that does shows here how near each one is."));
}
