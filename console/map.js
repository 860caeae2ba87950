// The map: drawn from what this computer has, and from tiles only where a person has named a server.
import * as L from "/leaflet/leaflet.js";

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The corners of a GeoJSON polygon; a ring that crosses the antimeridian goes on beyond it. */
const corners = ({ type, coordinates }) => (type === "Polygon" ? [coordinates] : coordinates).map((part) =>
  part.map((ring) => {
    let turns = 0;
    return ring.map(([longitude, latitude], index) => {
      const way = index > 0 ? longitude - ring[index - 1][0] : 0;
      if (Math.abs(way) > 180) turns -= Math.sign(way) * 360;
      return [latitude, longitude + turns];
    });
  }));

/** A text as HTML that shows it. */
function plain(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}

export class ConsoleMap {
  constructor(settings) {
    this.map = L.map("map", {
      preferCanvas: true, zoomControl: true, worldCopyJump: true, attributionControl: true,
      maxZoom: 20, minZoom: 2, zoomAnimation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    }).setView([30, 10], 2);
    this.map.attributionControl.setPrefix(false);
    for (const name of ["land", "names", "way", "light", "now"]) {
      this.map.createPane(name).classList.add(`pane-${name}`);
    }
    // What moves is drawn apart from what stays, so that a scrub does not paint a day again.
    this.still = L.canvas({ pane: "way", padding: 0.3 });
    this.moving = L.svg({ pane: "now", padding: 0.5 });
    this.land = L.layerGroup().addTo(this.map);
    this.layers = {};
    if (settings.tiles) {
      // A cookie is one host's, whatever the port: a server beside the console must not receive the page's.
      const isHere = new URL(settings.tiles).hostname === location.hostname;
      L.tileLayer(settings.tiles, {
        attribution: plain(settings.attribution), maxZoom: 19, crossOrigin: isHere ? "anonymous" : false,
      }).addTo(this.map);
    } else {
      this.map.on("moveend", () => this.drawLand());
      this.map.whenReady(() => this.drawLand());
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawLand());
    }
    L.control.scale().addTo(this.map);
    new ResizeObserver(() => this.map.invalidateSize({ animate: false })).observe(this.map.getContainer());
  }

  // Lines of latitude and longitude, and what the indexes on this computer have: borders, places, streets.
  async drawLand() {
    const bounds = this.map.getBounds();
    const [west, east] = [Math.max(bounds.getWest(), -180), Math.min(bounds.getEast(), 180)];
    const [south, north] = [Math.max(bounds.getSouth(), -85), Math.min(bounds.getNorth(), 85)];
    const span = Math.max(east - west, north - south);
    const step = [30, 10, 5, 1, 0.5, 0.1, 0.05, 0.01, 0.005, 0.001].find((step) => span / step > 5) ?? 0.001;
    const style = { color: color("--line"), weight: 1, interactive: false, pane: "land" };
    const lines = [];
    for (let at = Math.ceil(west / step); at <= east / step; at++) {
      lines.push([[south, at * step], [north, at * step]]);
    }
    for (let at = Math.ceil(south / step); at <= north / step; at++) {
      lines.push([[at * step, west], [at * step, east]]);
    }
    const grid = L.polyline(lines, style);
    this.land.clearLayers();
    this.land.addLayer(grid);
    const number = this.request = (this.request ?? 0) + 1;
    const query = [south, west, north, east].map((value) => value.toFixed(4)).join(",");
    const answer = await fetch(`/api/land?box=${query}`);
    if (!answer.ok || number !== this.request) return;
    const land = await answer.json();
    // Another part of the map may be in view by now.
    if (number !== this.request) return;
    const line = (numbers) => {
      const points = [];
      for (let at = 0; at < numbers.length; at += 2) points.push([numbers[at], numbers[at + 1]]);
      return points;
    };
    if (land.borders.length > 0) {
      this.land.addLayer(L.polyline(land.borders.map(line), { ...style, color: color("--land") }));
    }
    const streets = land.streets.map((street) => ({ name: street.name, line: line(street.line) }));
    if (streets.length > 0) {
      this.land.addLayer(L.polyline(streets.map((street) => street.line), { ...style, color: color("--land"), weight: 2 }));
    }
    for (const text of this.attributions ?? []) this.map.attributionControl.removeAttribution(text);
    this.attributions = land.attributions.map(plain);
    for (const text of this.attributions) this.map.attributionControl.addAttribution(text);
    this.drawNames(land.places, streets);
  }

  /** Names where there is room, the most important first. */
  drawNames(places, streets) {
    const taken = [];
    const write = (at, name, look) => {
      const point = this.map.latLngToContainerPoint(at);
      const box = [point.x - 3.5 * name.length - 4, point.y - 9, point.x + 3.5 * name.length + 4, point.y + 9];
      const isFree = taken.every((other) => box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3]);
      if (!isFree) return;
      taken.push(box);
      const text = document.createElement("span");
      text.textContent = name;
      this.land.addLayer(L.marker(at, {
        pane: "names", interactive: false, keyboard: false,
        icon: L.divIcon({ className: `name ${look}`, html: text, iconSize: [0, 0] }),
      }));
    };
    for (const place of places) write([place.latitude, place.longitude], place.name, "place");
    if (this.map.getZoom() < 15) return;
    const seen = new Set();
    const bounds = this.map.getBounds();
    for (const { name, line } of streets) {
      const middle = line[line.length >> 1];
      if (!name || seen.has(name) || !bounds.contains(middle)) continue;
      seen.add(name);
      write(middle, name, "street");
    }
  }

  /** Keeps one named thing on the map, in place of the one before. */
  put(name, layer) {
    this.layers[name]?.remove();
    this.layers[name] = layer?.addTo(this.map);
    return layer;
  }

  /** A fix, with the circle that it is in with 68 %. */
  showFix(place, accuracy) {
    const at = [place.latitude, place.longitude];
    if (!this.fix) {
      const look = { renderer: this.moving, pane: "now", color: color("--accent"), interactive: false };
      this.fix = {
        ring: L.circle(at, { ...look, radius: accuracy, weight: 1, fillOpacity: 0.15 }).addTo(this.map),
        dot: L.circleMarker(at, { ...look, radius: 6, fillOpacity: 1, weight: 2 }).addTo(this.map),
      };
      this.look(at, accuracy);
    }
    this.fix.ring.setRadius(accuracy).setLatLng(at);
    this.fix.dot.setLatLng(at);
  }

  /** Meters between two places. */
  apart(one, other) {
    return this.map.distance([one.latitude, one.longitude], [other.latitude, other.longitude]);
  }

  /** Where a heading points from a place, as a wedge as wide as its error, or a line where that is unknown. */
  showHeading(place, degrees, error, meters) {
    if (!place || degrees === undefined) return this.put("heading");
    const end = (turn) => {
      const angle = turn * Math.PI / 180;
      const north = meters * Math.cos(angle) / 111195;
      const east = meters * Math.sin(angle) / (111195 * Math.cos(place.latitude * Math.PI / 180));
      return [place.latitude + north, place.longitude + east];
    };
    const at = [place.latitude, place.longitude];
    const look = { renderer: this.moving, pane: "now", color: color("--doubt"), weight: 2, interactive: false };
    const half = Math.min(error ?? 0, 90);
    const rim = [-1, -0.5, 0, 0.5, 1].map((share) => end(degrees + share * half));
    return this.put("heading", half > 0 ? L.polygon([at, ...rim], { ...look, fillOpacity: 0.2 })
      : L.polyline([at, rim[2]], look));
  }

  /** Places with their accuracy and a text, each in a color. */
  places(name, list) {
    this.put(name, L.layerGroup(list.flatMap((one) => {
      const at = [one.place.latitude, one.place.longitude];
      const look = { renderer: this.still, color: color(one.look), weight: 1, dashArray: one.dashes ?? "4 4" };
      const ring = L.circle(at, { ...look, radius: one.accuracy, fillOpacity: one.fill ?? 0.05, interactive: Boolean(one.rim) });
      const dot = L.circleMarker(at, { ...look, radius: 4, weight: 2, dashArray: undefined, fillOpacity: 0.7 });
      return [ring.bindTooltip(one.text), ...(one.rim ? [] : [dot.bindTooltip(one.text)])];
    })));
  }

  forgetFix() {
    this.fix?.ring.remove();
    this.fix?.dot.remove();
    this.fix = undefined;
  }

  look(at, accuracy) {
    this.map.setView(at, accuracy > 5000 ? 9 : accuracy > 500 ? 13 : 16, { animate: false });
  }

  way(name, points, options = {}) {
    this.put(name, L.polyline(points, {
      renderer: this.still, color: color("--accent"), weight: 3, opacity: 0.75, smoothFactor: 1.5,
      interactive: false, ...options,
    }));
  }

  circles(name, list, isInside = () => false) {
    this.put(name, L.layerGroup(list.map((fence) => {
      const look = {
        renderer: this.still, radius: fence.radius, weight: 2, fillOpacity: isInside(fence) ? 0.25 : 0.06,
        color: color(isInside(fence) ? "--good" : "--doubt"),
      };
      const shape = fence.polygon ? L.polygon(corners(fence.polygon), look)
        : L.circle([fence.latitude, fence.longitude], look);
      return shape.bindTooltip(fence.identifier);
    })));
  }

  points(name, list, style) {
    this.put(name, L.layerGroup(list.map((point) => {
      const mark = L.circleMarker([point.latitude, point.longitude], {
        renderer: this.still, radius: 5, weight: 2, color: color(style), fillOpacity: 0.2,
      });
      return point.text ? mark.bindTooltip(point.text) : mark;
    })));
  }

  handles(name, list, moved) {
    this.put(name, L.layerGroup(list.map((fence, index) => {
      const mark = L.marker([fence.latitude, fence.longitude], {
        draggable: true, title: `Move ${fence.identifier}`, alt: `Move ${fence.identifier}`,
        icon: L.divIcon({ className: "handle", iconSize: [16, 16] }),
      });
      mark.on("dragend", () => moved(index, mark.getLatLng()));
      return mark;
    })));
  }

  fit(points) {
    this.map.invalidateSize({ animate: false });
    if (points.length > 0) this.map.fitBounds(L.latLngBounds(points).pad(0.1), { animate: false, maxZoom: 17 });
  }
}
