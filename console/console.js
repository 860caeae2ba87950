// The page of locationctl console: live, or a day in virtual time, on one map.
import { ask, byId, report } from "/words.js";
import { ConsoleMap } from "/map.js";
import { Live } from "/live.js";
import { Day } from "/day.js";

function show(isDay) {
  byId("live").hidden = isDay;
  byId("day").hidden = !isDay;
  byId("show-live").setAttribute("aria-pressed", String(!isDay));
  byId("show-day").setAttribute("aria-pressed", String(isDay));
  map.forgetFix();
  live.show(!isDay);
  day.show(isDay);
}

let map, live, day;
try {
  const settings = await (await ask("/api/settings")).json();
  map = new ConsoleMap(settings);
  live = new Live(map);
  day = new Day(map);
  day.wasOpened = () => show(true);
  byId("show-live").addEventListener("click", () => show(false));
  byId("show-day").addEventListener("click", () => show(true));
  // What is drawn has the colors of its time.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(!byId("day").hidden));
  await day.begin();
  // For the script that measures and photographs it.
  globalThis.meridian = { map, live, day };
  live.follow();
} catch (problem) {
  report(problem);
}
