import Glibc
import LocationModel
import LocationWeb
import Synchronization

/// Asks a web geocoder and waits for its answer; to be called off the main thread.
///
/// Calls wait for one another: the usage policies allow one request at a time. libcurl is loaded
/// by the first of them (docs/decisions/0010).
package final class WebGeocoder: Sendable {
  private struct Work {
    var coordinator: WebCoordinator
    var requests = 0
  }

  private let work: Mutex<Work>
  private let service: WebService

  package init(_ service: WebService) {
    self.service = service
    work = Mutex(Work(coordinator: WebCoordinator(service)))
  }

  /// The answer to one question; blocks for as long as the service, its pauses, and retries take.
  package func lookUp(_ question: GeocodeQuestion) -> GeocodeOutcome {
    work.withLock { work in
      work.requests += 1
      let request = work.requests
      var outputs = work.coordinator.handle(.ask(question, as: request), at: Self.now)
      while true {
        for output in outputs {
          if case .finish(request, let outcome) = output { return outcome }
        }
        if case .fetch(let url)? = outputs.last {
          outputs = work.coordinator.handle(.answer(fetch(url)), at: Self.now)
        } else {
          Self.sleep(until: work.coordinator.nextDeadline)
          outputs = work.coordinator.handle(.wake, at: Self.now)
        }
      }
    }
  }

  private func fetch(_ url: String) -> WebAnswer {
    WebTransport.answer(
      to: WebRequest(
        url, of: service.server, userAgent: service.userAgent, timeout: service.timeout,
        authorities: service.authorities))
  }

  private static var now: Moment {
    Moment(
      uptime: Instant(nanoseconds: time(CLOCK_BOOTTIME)),
      unixTime: UnixTime(nanoseconds: time(CLOCK_REALTIME)))
  }

  private static func time(_ clock: clockid_t) -> Int64 {
    var value = timespec()
    clock_gettime(clock, &value)
    return Int64(value.tv_sec) * 1_000_000_000 + Int64(value.tv_nsec)
  }

  private static func sleep(until deadline: Instant?) {
    guard let deadline else { return }
    let rest = max(0, (deadline - now.uptime).wholeNanoseconds)
    var pause = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
    nanosleep(&pause, nil)
  }
}
