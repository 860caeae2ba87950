// Numbers, times, and elements, as a person reads them.

/** Makes an element with attributes, and children that are elements or text. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

// The languages that the person reads, of which Intl by itself would take the browser's own.
export const languages = navigator.languages;
const clock = new Intl.DateTimeFormat(languages, { timeStyle: "medium" });
const whole = new Intl.DateTimeFormat(languages, { dateStyle: "medium", timeStyle: "medium" });
const number = (digits) => new Intl.NumberFormat(languages, { maximumFractionDigits: digits });
const numbers = [number(0), number(1), number(2)];

// Where people measure in feet and miles.
const imperial = /-(US|LR|MM)\b/.test(navigator.language ?? "");

export function length(meters) {
  if (meters === undefined || meters === null) return "–";
  if (imperial) {
    const feet = meters / 0.3048;
    return feet < 1000 ? `${numbers[0].format(feet)} ft` : `${numbers[1].format(feet / 5280)} mi`;
  }
  if (meters >= 10000) return `${numbers[1].format(meters / 1000)} km`;
  return `${numbers[meters < 10 ? 1 : 0].format(meters)} m`;
}

export function degrees(place) {
  return place ? `${place.latitude.toFixed(6)}, ${place.longitude.toFixed(6)}` : "–";
}

export const milliseconds = (nanoseconds) => nanoseconds / 1e6;

/** A time here; in UTC for whoever points at it. */
export function time(value, isWhole = false) {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return el("span", {}, "–");
  const text = (isWhole ? whole : clock).format(date);
  return el("time", { datetime: date.toISOString(), title: date.toISOString() }, text);
}

export const clockText = (value) => whole.format(new Date(value));

/** A table, or what to do where there is nothing. */
export function table(caption, heads, rows, whenEmpty) {
  if (rows.length === 0) return el("p", { class: "empty" }, whenEmpty);
  return el(
    "table", { "aria-label": caption },
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows.map((cells) =>
      el("tr", {}, ...cells.map((cell) =>
        el("td", { class: typeof cell === "string" && cell.length > 24 ? "wide" : undefined }, cell ?? ""))))));
}

/** Replaces what is in an element, unless a person is just using it. */
export function fill(id, ...children) {
  const place = document.getElementById(id);
  if (place.contains(document.activeElement) && document.activeElement.matches("select, input")) return;
  place.replaceChildren(...children);
}

export function list(id, pairs) {
  fill(id, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

export const byId = (id) => document.getElementById(id);

/** Asks the server; throws what it says is wrong. */
export async function ask(path, body, options = {}) {
  const answer = await fetch(path, body === undefined ? options
    : { ...options, method: "POST", body });
  if (answer.ok) return answer;
  const text = await answer.text();
  let said = { problem: text.trim() };
  try { said = JSON.parse(text); } catch { /* Plain text. */ }
  const error = new Error(said.next ? `${said.problem}\nNext: ${said.next}` : said.problem);
  error.status = answer.status;
  throw error;
}

/** Shows what is wrong, until it is not. */
export function report(problem) {
  const place = byId("problem");
  place.hidden = !problem;
  place.textContent = problem ? (problem.message ?? String(problem)) : "";
}
