// The beacons of a day: placed on the map, moved, and removed; each time the day is run again.
import { byId, el } from "/words.js";

/** A place with the first name of its kind that is free in a day. */
export function named(day, kind, latitude, longitude) {
  const names = new Set([...day.fences, ...day.beacons].map((one) => one.identifier));
  let number = 1;
  while (names.has(`${kind}-${number}`)) number += 1;
  const [lat, lng] = [latitude, longitude].map((value) => Number(value.toFixed(6)));
  return { identifier: `${kind}-${number}`, latitude: lat, longitude: lng };
}

export function renderBeacons(day) {
  const beacons = day.day.beacons ?? [];
  const change = (index, part) => day.setBeacons(beacons.map((beacon, at) => at === index ? { ...beacon, ...part } : beacon));
  day.map.points("beacons", beacons.map((beacon) => ({ ...beacon, text: `Beacon ${beacon.identifier}` })), "--good");
  day.map.handles("beacon-handles", beacons, (index, at) => change(index, { latitude: at.lat, longitude: at.lng }));
  const rows = beacons.map((beacon, index) => el("li", {},
    el("strong", {}, beacon.identifier), " ",
    ...["latitude", "longitude"].map((name) => el("label", {}, `${name} `, el("input", {
      type: "number", step: "any", value: String(beacon[name]), "aria-label": `${name} of ${beacon.identifier}`,
      onchange: (event) => change(index, { [name]: Number(event.target.value) }),
    }), " ")),
    el("button", {
      type: "button", "aria-label": `Remove ${beacon.identifier}`,
      onclick: () => day.setBeacons(beacons.filter((_, at) => at !== index)),
    }, "Remove")));
  byId("day-beacons").replaceChildren(rows.length ? el("ul", {}, ...rows)
    : el("p", { class: "empty" }, "No beacon yet. Place one on the way of a scenario: the app of the day monitors it."));
}
