import Foundation
import LocationFleet
import LocationFleetNATS
import LocationModel
import Synchronization
import TestSupport

/// Publishes the next fix of every device again and again, on a thread of its own, and sends what was not
/// acknowledged once more.
final class SteadyPublisher: Sendable {
  private struct State {
    /// When each step was sent first.
    var begins: [Date] = []
    /// How many steps are kept.
    var kept = 0
    var isEnding = false
    var fault: String?
  }

  private let state = Mutex(State())
  private let done = DispatchSemaphore(value: 0)
  private let steps: [[LogEntry]]

  init(_ servers: [String], _ steps: [[LogEntry]], each pause: Double) {
    self.steps = steps
    Thread { [self] in
      run(servers, pause)
      done.signal()
    }.start()
  }

  private func run(_ servers: [String], _ pause: Double) {
    do {
      var broker = try NATSBroker(
        BrokerAccess(servers: servers), name: "publisher", longestWait: .seconds(1))
      for step in steps {
        let begin = Date()
        guard !state.withLock({ $0.isEnding }) else { return }
        state.withLock { $0.begins.append(begin) }
        while true {
          do throws(BrokerFault) {
            _ = try broker.append(step, to: .fixes(0), expecting: nil)
            break
          } catch {
            guard case .unreachable = error else { throw error }
            broker.wait(.milliseconds(200))
          }
        }
        state.withLock { $0.kept += 1 }
        let left = pause + begin.timeIntervalSinceNow
        if left > 0 { Thread.sleep(forTimeInterval: left) }
      }
    } catch { state.withLock { $0.fault = "\(error)" } }
  }

  var kept: Int { state.withLock { $0.kept } }

  /// Waits until so many more steps are kept.
  func waitForSteps(_ more: Int) throws {
    let wanted = min(kept + more, steps.count)
    let end = Date(timeIntervalSinceNow: 120)
    while kept < wanted {
      let fault = state.withLock { $0.fault }
      guard fault == nil, Date() < end else { throw Stopped(cause: fault ?? "not in time") }
      usleep(50_000)
    }
  }

  /// Ends after the step that it is at; returns when each step was sent first.
  func end() throws -> [Date] {
    state.withLock { $0.isEnding = true }
    done.wait()
    if let fault = state.withLock({ $0.fault }) { throw Stopped(cause: fault) }
    return state.withLock { $0.begins }
  }

  struct Stopped: Error { var cause: String }
}
