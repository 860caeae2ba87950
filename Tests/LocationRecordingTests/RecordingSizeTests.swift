import Foundation
import LocationEngine
import LocationModel
import LocationProviders
import LocationRecording
import LocationSecrets
import TestSupport
import Testing

@Suite("The size of a recording")
struct RecordingSizeTests {
  /// What gpsd prints of a receiver that walks in a circle, with noise in every figure.
  private struct Walker {
    /// Decimals of the minutes of arc that the receiver says; `nil`: gpsd's nine of a degree.
    var minuteDecimals: Int?
    private var random = SeededRandom(seed: 3)
    /// The slow error of each figure, in its deviations.
    private var slow = [Double](repeating: 0, count: 8)

    init(minuteDecimals: Int?) { self.minuteDecimals = minuteDecimals }

    /// A figure that changes slowly around its mean, with a little that is new each second.
    private mutating func figure(_ place: Int, _ mean: Double, _ deviation: Double) -> Double {
      let keep = 0.975
      slow[place] = slow[place] * keep + normal() * (1 - keep * keep).squareRoot()
      return mean + deviation * (slow[place] + 0.3 * normal())
    }

    /// Nearly normal, of mean 0 and deviation 1: twelve uniform numbers.
    private mutating func normal() -> Double {
      (0..<12).reduce(-6) { sum, _ in sum + Double(random.next() >> 11) * 0x1p-53 }
    }

    private mutating func degrees(_ place: Int, _ mean: Double, perMeter: Double) -> String {
      let degrees = mean + figure(place, 0, 3.2) * perMeter
      guard let minuteDecimals else { return String(format: "%.9f", degrees) }
      let scale = pow(10, Double(minuteDecimals))
      return String(format: "%.9f", (degrees * 60 * scale).rounded() / (60 * scale))
    }

    mutating func report(_ second: Int) -> String {
      let turn = Double(second % 600) / 600 * 2 * .pi
      let (north, east) = (sin(turn) * 130 / 111_200, cos(turn) * 130 / 67_700)
      let latitude = degrees(0, 52.5 + north, perMeter: 1 / 111_200)
      let longitude = degrees(1, 13.4 + east, perMeter: 1 / 67_700)
      let height = (figure(2, 40, 5) * 10).rounded() / 10
      let time = UnixTime(milliseconds: 1_767_600_000_000 + Int64(second) * 1000).iso8601
      func number(_ value: Double, _ decimals: Int) -> String {
        String(format: "%.\(decimals)f", value.magnitude)
      }
      let track = (360 - turn * 180 / .pi + figure(3, 0, 2)).truncatingRemainder(dividingBy: 360)
      let error = number(figure(4, 8, 0.5), 3)
      return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":\#(latitude),"#
        + #""lon":\#(longitude),"altHAE":\#(number(height + 39.7, 4)),"#
        + #""altMSL":\#(number(height, 4)),"epx":\#(error),"epy":\#(error),"#
        + #""epv":\#(number(figure(5, 15, 1), 3)),"track":\#(number(track, 4)),"#
        + #""speed":\#(number(figure(6, 1.36, 0.1), 3)),"eps":\#(number(figure(7, 1, 0.1), 2)),"#
        + #""epd":\#(number(figure(7, 20, 2), 4)),"eph":\#(error)}"#
    }
  }

  @Test(
    "is at most 2 MB for a day at 1 Hz of gpsd's reports, with all their error figures",
    arguments: [5, nil])
  func day(minuteDecimals: Int?) throws {
    var walker = Walker(minuteDecimals: minuteDecimals)
    var bench = Bench(GpsdClient())
    bench.run(for: .zero)
    bench.send(.connected)
    bench.send(.bytes(Array((Self.greeting + "\r\n").utf8)))
    let seconds = 4000
    for second in 0..<seconds { bench.send(.bytes(Array((walker.report(second) + "\r\n").utf8))) }
    var recorder = Recorder(
      Recording.Setup(providers: 1, secret: SecretKey(seed: 0), limits: .init()))
    var random = SeededRandom(seed: 5)
    var now = Moment(uptime: .start, unixTime: UnixTime(milliseconds: 1_767_600_000_000))
    var fixes = 0
    for case .fix(let fix, _) in bench.outputs.map(\.output) {
      // A host reads its clocks in whole microseconds, some tenths of a millisecond early or late.
      let late = Int64(truncatingIfNeeded: random.next() % 800)
      let step = Duration.microseconds(999_600 + late)
      now.uptime = now.uptime + step
      now.unixTime = now.unixTime + step + .microseconds(random.next() % 4 == 0 ? 1 : 0)
      recorder.note(.fix(fix, from: ProviderID(0)), [], at: now)
      fixes += 1
    }
    #expect(fixes == seconds)
    let bytes = Double(recorder.takeBytes().count) / Double(fixes)
    #expect(bytes * 86_400 < 2_000_000, "\(bytes) bytes for a fix")
  }

  private static let greeting =
    #"{"class":"VERSION","release":"3.25","rev":"3.25","proto_major":3,"proto_minor":15}"#
}
