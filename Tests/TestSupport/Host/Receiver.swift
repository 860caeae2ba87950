import Dispatch
import Foundation
import LocationSimulation
import Synchronization

/// A receiver that has a solution ten times a second, from the time it is switched on until it is
/// let go, whoever listens.
package final class Receiver: Sendable {
  // A dispatch source may be canceled from any thread; the compiler cannot know.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  package init(
    sending bytes: @escaping @Sendable (Int) -> [UInt8],
    to port: @escaping @Sendable ([UInt8]) -> Void
  ) {
    timer = DispatchSource.makeTimerSource()
    let count = Count()
    timer.setEventHandler { port(bytes(count.next())) }
    timer.schedule(deadline: .now(), repeating: .milliseconds(100))
    timer.activate()
  }

  /// One that stands at 48°07.038' N, 11°31.000' E.
  package convenience init(to port: @escaping @Sendable ([UInt8]) -> Void) {
    self.init(sending: Self.epoch, to: port)
  }

  deinit { timer.cancel() }

  package static let latitude = 48 + 7.038 / 60
  package static let longitude = 11 + 31.0 / 60

  /// The sentences of one solution, so many tenths of a second after noon of 4 August 2026.
  package static func epoch(_ tenth: Int) -> [UInt8] {
    let time = String(
      format: "12%02d%02d.%d00", tenth / 600 % 60, tenth / 10 % 60, tenth % 10)
    return NMEAWriter.sentence("GPRMC,\(time),A,4807.038,N,01131.000,E,000.0,,040826,,,A")
      + NMEAWriter.sentence("GPGGA,\(time),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
  }

  private final class Count: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
      value.withLock {
        $0 += 1
        return $0
      }
    }
  }
}
