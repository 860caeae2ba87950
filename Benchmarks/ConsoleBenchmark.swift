import Foundation
import LocationModel

/// The console's day: 86,400 fixes with 20 fences, from a change of a fence to the whole answer.
func measureConsole() async throws {
  let program = Peers.products.appending(path: "locationctl")
  guard FileManager.default.isExecutableFile(atPath: program.path) else {
    throw MissingPeer(text: "no \(program.path): swift build -c release --product locationctl")
  }
  let curl = try Peers.program("curl", from: "curl")
  let folder = try Peers.folder("console")
  defer { try? FileManager.default.removeItem(at: folder) }
  let day = folder.appending(path: "day.gpx")
  try Data(wholeDay.utf8).write(to: day)

  let console = try Child(program.path, ["console", "--no-open", "--json", day.path])
  var address = ""
  console.readLines { line in
    address = line.split(separator: "\"").first { $0.hasPrefix("http://") }.map(String.init) ?? ""
    return address.isEmpty
  }
  guard let origin = address.split(separator: "?").first?.dropLast() else {
    throw MissingPeer(text: "the console does not open; it needs libmicrohttpd12, libjs-leaflet")
  }
  let cookies = folder.appending(path: "cookies").path
  func ask(_ words: [String]) throws -> Double {
    let all = [curl, "-s", "-f", "-b", cookies, "-c", cookies, "-o", "/dev/null"] + words
    let printed = try run(
      URL(fileURLWithPath: all[0]), Array(all.dropFirst()) + ["-w", "%{time_total}"])
    guard let seconds = printed.flatMap({ Double($0) }) else {
      throw MissingPeer(text: "the console refuses what curl asks for")
    }
    return seconds
  }
  _ = try ask([address])
  let change = [
    "-H", "Origin: \(origin)", "--data", wholeDayFences, "\(origin)/api/day/fences",
  ]
  let answer = try bestInTurns([{ try ask(change) }])
  try Figure.report(
    "console.day", answer[0], "s", "a day of 86,400 fixes with 20 fences, to the whole answer")
}

/// Rounds of two hours through twenty places, a point each second.
private var wholeDay: String {
  let points = (0..<86_400).map { second -> String in
    let turn = 2 * Double.pi * Double(second) / 7200
    let time = UnixTime(seconds: 1_777_852_800 + Double(second)).iso8601
    return "<trkpt lat=\"\(48.137 + 0.02 * sin(turn))\" lon=\"\(11.575 + 0.03 * cos(turn))\">"
      + "<time>\(time)</time></trkpt>\n"
  }
  return "<gpx version=\"1.1\"><trk><trkseg>\n" + points.joined() + "</trkseg></trk></gpx>\n"
}

private var wholeDayFences: String {
  let fences = (0..<20).map { number -> String in
    let turn = 0.314 * Double(number)
    return "{\"identifier\":\"fence-\(number)\",\"latitude\":\(48.137 + 0.02 * sin(turn)),"
      + "\"longitude\":\(11.575 + 0.03 * cos(turn)),\"radius\":150}"
  }
  return "[" + fences.joined(separator: ",") + "]"
}
