import CCurl
package import LocationModel

/// Sends requests to servers on the web, with libcurl, which the first request loads
/// (docs/decisions/0010).
package enum WebTransport {
  /// Bytes. A longer answer is an error: ten places take a few thousand.
  private static let longestAnswer = 4 << 20
  /// Chosen.
  private static let mostRedirects = 3

  /// Returns what comes of a request; waits for it, so never call it on the host's queue.
  ///
  /// It follows the server where it redirects the request to itself, and nowhere else.
  package static func answer(to request: WebRequest) -> WebAnswer {
    guard request.server.isPrivate else { return .refused(WebServer.mustBePrivate) }
    var url = request.url
    for _ in 0...mostRedirects {
      let (answer, next) = send(request, to: url)
      guard let next else { return answer }
      guard request.server.mayFollow(next) else {
        return .refused(
          "\(name(request)) redirects the request to another server, which does not receive it; where "
            + "that one is meant, name it")
      }
      url = next
    }
    return .refused("\(name(request)) redirects the request for ever")
  }

  private static func send(
    _ request: WebRequest, to url: String
  ) -> (WebAnswer, next: String?) {
    let timeout = Int(request.timeout.inSeconds * 1000)
    let body = request.body ?? []
    var answer = request.userAgent.withCString { agent in
      withOptional(request.authorities) { authorities in
        body.withUnsafeBufferPointer { body in
          var options = ccurl_options()
          options.user_agent = agent
          (options.timeout_milliseconds, options.limit) = (timeout, longestAnswer)
          options.authorities = authorities
          options.json = request.body == nil ? nil : UnsafeRawPointer(body.baseAddress)
          options.json_length = body.count
          return send(options, to: url, as: request.credentials)
        }
      }
    }
    defer { ccurl_free(&answer) }
    let next = answer.redirect.map { String(cString: $0) }
    return (read(answer, of: request), answer.code == 0 ? next : nil)
  }

  private static func send(
    _ options: ccurl_options, to url: String, as credentials: WebCredentials?
  ) -> ccurl_answer {
    var options = options
    switch credentials {
    case nil: return ccurl_send(url, options)
    case .password(let user, let password):
      return user.withCString { user in
        password.withCString { password in
          (options.user, options.password) = (user, password)
          return ccurl_send(url, options)
        }
      }
    case .certificate(let certificate, let key):
      return certificate.withCString { certificate in
        key.withCString { key in
          (options.certificate, options.key) = (certificate, key)
          return ccurl_send(url, options)
        }
      }
    }
  }

  private static func withOptional<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
  ) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }

  private static func read(_ answer: ccurl_answer, of request: WebRequest) -> WebAnswer {
    switch answer.code {
    case 0: break
    case -1: return .unreachable("libcurl is not installed")
    case -2: return .unreachable("the server's answer is too long")
    case 58:
      return .unreachable("the certificate for \(name(request)), or its key, cannot be used")
    case 60: return .unreachable("the certificate of \(name(request)) is not accepted")
    default: return .unreachable("no answer from \(name(request)) (libcurl \(answer.code))")
    }
    let body = UnsafeRawBufferPointer(start: answer.body, count: answer.length)
    return .response(
      status: answer.status, body: [UInt8](body),
      retryAfter: answer.retry_after < 0 ? nil : .seconds(answer.retry_after))
  }

  /// The server without its path, which may hold a key.
  private static func name(_ request: WebRequest) -> String {
    request.server.origin ?? "the server"
  }
}
