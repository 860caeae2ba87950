import Foundation
import LocationGeocoding
import LocationModel

func vectors() throws -> [[Substring]] {
  let p = Process(); p.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  p.arguments = ["gzip","-dc","/work/shared/data/places/reverse-vectors.tsv.gz"]
  let pipe = Pipe(); p.standardOutput = pipe; try p.run()
  let d = pipe.fileHandleForReading.readDataToEndOfFile()
  return String(decoding: d, as: UTF8.self).split(separator: "\n").dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
}
if CommandLine.arguments.count > 3, CommandLine.arguments[1] == "import" {
  let t = ContinuousClock.now
  print(try StreetImporter.run(extract: CommandLine.arguments[2], output: CommandLine.arguments[3]), ContinuousClock.now - t)
  exit(0)
}
func jsonl(_ n: String) throws -> [[String: Any]] {
  let p = Process(); p.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  p.arguments = ["gzip","-dc","/work/shared/data/osm/nominatim-liechtenstein-autauga-\(n).jsonl.gz"]
  let pipe = Pipe(); p.standardOutput = pipe; try p.run()
  let d = pipe.fileHandleForReading.readDataToEndOfFile()
  return try String(decoding: d, as: UTF8.self).split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as! [String: Any] }
}
let g = try Geocoder()
if CommandLine.arguments.count > 1, CommandLine.arguments[1] == "s" {
  let v = CommandLine.arguments.contains("v")
  var s = (road: 0, roadOK: 0, num: 0, numOK: 0, numNoTiger: 0, numNoTigerOK: 0)
  for r in try jsonl("reverse") {
    guard let e = r["expected"] as? [String: Any], let a = e["address"] as? [String: String] else { continue }
    let p = try g.reverse(Coordinate(latitude: r["lat"] as! Double, longitude: r["lon"] as! Double))
    if let road = a["road"] { s.road += 1; if p.thoroughfare == road { s.roadOK += 1 } else if v { print("ROAD", r["kind"]!, r["lat"]!, r["lon"]!, e["display_name"]!, "->", p.thoroughfare ?? "-", p.subThoroughfare ?? "-", p.name ?? "-") } }
    if let n = a["house_number"] { s.num += 1; let t = (e["category"] as? String) == "place" && a["country_code"] == "us"; if !t { s.numNoTiger += 1 }
      if p.subThoroughfare == n { s.numOK += 1; if !t { s.numNoTigerOK += 1 } } else if v, !t { print("NUM", r["kind"]!, r["lat"]!, r["lon"]!, e["display_name"]!, "->", p.thoroughfare ?? "-", p.subThoroughfare ?? "-", p.name ?? "-") } }
  }
  print(s)
  var n = 0, ok = 0, any = 0
  for r in try jsonl("forward") {
    guard let es = r["expected"] as? [[String: Any]], let e = es.first else { continue }
    n += 1
    let q = r["query"] as! String
    let ps = (try? g.forward(q)) ?? []
    func d(_ p: Place, _ e: [String: Any]) -> Double { let la = Double(e["lat"] as! String)!, lo = Double(e["lon"] as! String)!; let a = (p.coordinate.latitude-la)*111195, b = (p.coordinate.longitude-lo)*111195*cos(la * .pi/180); return (a*a+b*b).squareRoot() }
    if let p = ps.first, d(p, e) <= 50 { ok += 1 } else if v { print("FWD", r["kind"]!, q, e["display_name"]!, e["lat"]!, e["lon"]!, "->", ps.first.map { "\($0.name ?? "") \($0.coordinate.latitude) \($0.coordinate.longitude) \(Int(d($0, e)))" } ?? "none", ps.contains { d($0, e) <= 50 }) }
    if let p = ps.first, es.contains(where: { d(p, $0) <= 50 }) { any += 1 }
  }
  print("forward", n, ok, any)
  exit(0)
}
if CommandLine.arguments.count > 2, CommandLine.arguments[1] == "r" {
  let f = CommandLine.arguments[2].split(separator: ",").map { Double($0)! }
  print(try g.reverse(Coordinate(latitude: f[0], longitude: f[1]), locale: PlaceLocale(CommandLine.arguments.dropFirst(3).first ?? "en")))
} else if CommandLine.arguments.count > 2, CommandLine.arguments[1] == "f" {
  let t = ContinuousClock.now
  let r = (try? g.forward(CommandLine.arguments[2], locale: PlaceLocale(CommandLine.arguments.dropFirst(3).first ?? "en"), limit: 4)) ?? []
  print(ContinuousClock.now - t)
  for p in r { print(p.name ?? "", p.locality ?? "", p.administrativeArea ?? "", p.country ?? "", p.postalCode ?? "", p.coordinate.latitude, p.coordinate.longitude, p.isPartial, p.timeZone ?? "") }
} else if CommandLine.arguments.count > 1, CommandLine.arguments[1] == "t" {
  var all = (0,0,0,0); var times: [Double] = []
  for name in ["germany-test_regions","germany-test_towns","poland-test_cities","usa-test_cities"] {
    let text = try String(contentsOfFile: "/work/shared/data/places/geocoder-tester/\(name).csv", encoding: .utf8)
    var n = 0, ok = 0, any = 0
    for line in text.split(separator: "\n").dropFirst() {
      let f = line.split(separator: ";", omittingEmptySubsequences: false)
      let e = f[2].split(separator: ",").map { Double($0)! }
      let t = ContinuousClock.now
      let r = (try? g.forward(String(f[1]))) ?? []
      times.append(Double((ContinuousClock.now - t).components.attoseconds) * 1e-15)
      n += 1
      func d(_ p: Place) -> Double { let a = (p.coordinate.latitude-e[0])*111195, b = (p.coordinate.longitude-e[1])*111195*cos(e[0] * .pi/180); return (a*a+b*b).squareRoot() }
      if let p = r.first, d(p) <= e[2] { ok += 1 } else { if CommandLine.arguments.contains("v") { print(name, f[1], f[2], r.prefix(2).map { ($0.name ?? "", $0.administrativeArea ?? "", Int(d($0)), $0.isPartial) }, r.map { Int(d($0)) }.min() ?? -1) } }
      if r.contains(where: { d($0) <= e[2] }) { any += 1 }
    }
    print(name, n, ok, any); all = (all.0+n, all.1+ok, all.2+any, 0)
  }
  times.sort(); print(all, "p50 \(times[times.count/2]) p95 \(times[times.count*95/100]) max \(times.last!) ms")
} else {
  var stats: [String: (n: Int, c: Int, an: Int, a: Int, z: Int, o: Int)] = [:]
  var times: [Double] = []
  for v in try vectors() {
    let k = String(v[0])
    let t = ContinuousClock.now
    let p = try g.reverse(Coordinate(latitude: Double(v[1])!, longitude: Double(v[2])!))
    times.append(Double((ContinuousClock.now - t).components.attoseconds) * 1e-12)
    var s = stats[k] ?? (0,0,0,0,0,0)
    s.n += 1
    let cOK = (p.isoCountryCode ?? "") == v[3]
    if cOK { s.c += 1 }
    if p.ocean != nil || p.inlandWater != nil { s.o += 1 }
    if p.timeZone == String(v[5]) { s.z += 1 } else if CommandLine.arguments.contains("z"), k == "urban" { print(v, p) }
    if !cOK, k != "land" { print(v, p) }
    stats[k] = s
  }
  print(stats); times.sort()
  print("p50 \(times[times.count/2]) us p99 \(times[times.count*99/100]) max \(times.last!) mean \(times.reduce(0,+)/Double(times.count))")
}
