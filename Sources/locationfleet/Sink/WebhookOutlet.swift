import CCurl
import Glibc
import LocationFleet
import LocationModel

/// Posts each event to a webhook, with a signature.
struct WebhookOutlet: Outlet {
  private let posts: OpaquePointer
  private let secret: WebhookSecret
  private var room = [ccurl_posted](repeating: ccurl_posted(), count: 64)
  /// What could not even begin.
  private var failed: [SettledDelivery] = []

  init(_ webhook: SinkConfiguration.Webhook) throws(FleetFault) {
    secret = try Self.secret(webhook.secret ?? "")
    let url = webhook.url ?? ""
    let posts =
      if let authorities = webhook.authorities {
        ccurl_posts_open(
          url, Self.agent, webhook.timeout * 1000, Self.longestAnswer, authorities)
      } else {
        ccurl_posts_open(url, Self.agent, webhook.timeout * 1000, Self.longestAnswer, nil)
      }
    guard let posts else {
      throw FleetFault(
        reason: "a webhook needs libcurl: apt-get install libcurl4", status: 1)
    }
    self.posts = posts
  }

  /// Reads the file of a secret, which nobody but its owner may write or read.
  static func secret(_ path: String) throws(FleetFault) -> WebhookSecret {
    guard let secret = WebhookSecret(try Input.secret(path, of: "webhook-secret")) else {
      throw FleetFault(
        reason: "\(path) must have one or two lines, each whsec_ and 24 to 64 bytes in base64")
    }
    return secret
  }

  mutating func send(_ delivery: EventDelivery, at now: Moment) {
    guard let event = delivery.events.first else { return }
    let lines =
      ["Content-Type: application/cloudevents+json"]
      + secret.headers(id: event.id, body: event.json, at: now.unixTime)
    let headers = lines.map { UnsafePointer(strdup($0)) }
    defer { for header in headers { free(UnsafeMutablePointer(mutating: header)) } }
    let code = ccurl_posts_add(
      posts, delivery.number, event.json, event.json.count, headers, Int32(headers.count))
    guard code != 0 else { return }
    failed.append((delivery.number, .unreachable("there is not enough memory", after: nil)))
  }

  mutating func turn(_ milliseconds: Int32, at now: Moment) -> [SettledDelivery] {
    var found = failed
    failed = []
    let count = ccurl_posts_run(posts, milliseconds, &room, Int32(room.count))
    for over in room.prefix(Int(count)) {
      found.append(
        (
          over.number,
          WebhookAnswer.outcome(
            status: Int(over.status), code: Int(over.code),
            retryAfter: over.retry_after < 0 ? nil : Int(over.retry_after))
        ))
    }
    return found
  }

  mutating func close() { ccurl_posts_close(posts) }

  private static let agent = "Meridian locationfleet"
  private static let longestAnswer = 65_536
}
