import LocationFleet
import LocationFleetNATS
import LocationModel

/// Publishes events into a stream of another server, or another account, of NATS.
struct NATSOutlet: Outlet {
  private let access: BrokerAccess
  private let subject: String
  private var writer: StreamWriter?
  private var published: PublishedEvents
  /// Of the messages of this connection: how many no stream takes.
  private var untaken = 0
  /// Whether the connection is of no more use once everything is answered.
  private var isWorn = false
  private var results: [SettledDelivery] = []
  /// Why it cannot be reached in this turn.
  private var fault: String?

  /// Reads the files of the settings; connects to nothing.
  init(_ settings: SinkConfiguration.NATS) throws(FleetFault) {
    var access = settings.access
    let faults = AccessFiles.faults(of: &access)
    guard faults.isEmpty else { throw FleetFault(reason: faults.joined(separator: "\n")) }
    try AccessFiles.check(access)
    (self.access, subject) = (access, settings.subject)
    published = PublishedEvents(under: settings.subject)
  }

  mutating func send(_ delivery: EventDelivery, at now: Moment) {
    guard let event = delivery.events.first else { return }
    guard fault == nil, connect() else {
      results.append((delivery.number, .unreachable(fault ?? "not connected", after: nil)))
      return
    }
    let subject = NATSPublication.subject(of: event, under: self.subject)
    do throws(BrokerFault) {
      guard let number = try writer?.send(event, to: subject) else { return }
      published.add(number, of: delivery.number, at: subject, at: now.uptime)
    } catch {
      if case .refused(let cause) = error {
        results.append((delivery.number, .refused(cause)))
      } else {
        results.append((delivery.number, .unreachable("\(error)", after: nil)))
        end("\(error)")
      }
    }
  }

  /// Connects where there is no connection; returns whether there is one.
  private mutating func connect() -> Bool {
    guard writer == nil else { return true }
    do throws(BrokerFault) {
      writer = try StreamWriter(toOther: access, name: "locationfleet sink")
      return true
    } catch {
      let servers = access.servers.map { ServerAddress($0)?.shown ?? "" }
      fault = "\(servers.joined(separator: ", ")): \(error)"
      return false
    }
  }

  mutating func turn(_ milliseconds: Int32, at now: Moment) -> [SettledDelivery] {
    defer { (results, fault) = ([], nil) }
    guard writer != nil else { return results }
    take(published.isEmpty || !results.isEmpty ? 0 : milliseconds)
    if let subject = writer?.forbidden {
      let forbidden = published.forbid(subject)
      results += forbidden
      // The library says it again as long as there is this connection.
      isWorn = isWorn || !forbidden.isEmpty
    }
    let (given, isSilent) = published.expire(at: now.uptime)
    results += given
    if writer?.isAnother == true {
      end("the connection was lost")
    } else if isSilent {
      // What waits in it to be sent must not be sent later, behind what others hand on.
      end(PublishedEvents.silence)
    } else if isWorn, published.isEmpty {
      end("")
    }
    return results
  }

  /// Takes answers, waiting for the first one at most for so many milliseconds.
  private mutating func take(_ milliseconds: Int32) {
    var wait = Int64(milliseconds)
    for _ in 0..<Self.mostAnswers {
      let answer = writer?.outcome(wait)
      let count = writer?.untaken ?? 0
      guard answer != nil || count > untaken else { return }
      published.note(untaken: count - untaken)
      (untaken, wait) = (count, 0)
      if let answer, let settled = published.answer(answer.number, answer.outcome) {
        results.append(settled)
      }
    }
  }

  private mutating func end(_ reason: String) {
    results += published.end(reason)
    (writer, untaken, isWorn) = (nil, 0, false)
  }

  mutating func close() { end("it ends") }

  private static let mostAnswers = 256
}
