import CCurl
import Glibc
import LocationModel
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

  /// Bytes. A longer answer is an error: ten places take a few thousand.
  private static let longestAnswer = 4 << 20
  /// Chosen.
  private static let mostRedirects = 3

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

  /// Follows the server where it sends the question on to itself, and nowhere else.
  private func fetch(_ url: String) -> WebAnswer {
    guard service.isPrivate else { return .refused(WebService.mustBePrivate) }
    var url = url
    for _ in 0...Self.mostRedirects {
      let (answer, next) = fetchOnce(url)
      guard let next else { return answer }
      guard service.mayFollow(next) else {
        return .refused(
          "\(service.server) redirects the question to another server, which does not receive it; where "
            + "that one is meant, name it")
      }
      url = next
    }
    return .refused("\(service.server) sends the question on for ever")
  }

  private func fetchOnce(_ url: String) -> (WebAnswer, next: String?) {
    let timeout = Int(service.timeout.inSeconds * 1000)
    var answer = service.userAgent.withCString { agent in
      withOptional(service.authorities) { authorities in
        ccurl_get(
          url,
          ccurl_options(
            user_agent: agent, timeout_milliseconds: timeout, limit: Self.longestAnswer,
            authorities: authorities))
      }
    }
    defer { ccurl_free(&answer) }
    let next = answer.redirect.map { String(cString: $0) }
    return (read(answer), answer.code == 0 ? next : nil)
  }

  private func withOptional<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }

  private func read(_ answer: ccurl_answer) -> WebAnswer {
    switch answer.code {
    case 0: break
    case -1: return .unreachable("libcurl is not installed")
    case -2: return .unreachable("the server's answer is too long")
    default: return .unreachable("no answer from \(service.server) (libcurl \(answer.code))")
    }
    let body = UnsafeRawBufferPointer(start: answer.body, count: answer.length)
    return .response(
      status: answer.status, body: [UInt8](body),
      retryAfter: answer.retry_after < 0 ? nil : .seconds(answer.retry_after))
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
