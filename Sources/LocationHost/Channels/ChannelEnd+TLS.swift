import LocationProviders
import LocationWeb

extension ChannelEnd {
  /// Creates the end of a channel over TLS that could not be opened.
  init(_ failure: TLSConnection.Failure, of host: String) {
    switch failure {
    case .noHost: self = .missing("no host named \(host)")
    case .refused(let cause): self = .failed(cause)
    }
  }
}

extension Opening {
  /// Closes the connection that nobody waits for any more.
  static func abandon(_ found: Result<Int32, TLSConnection.Failure>) {
    if case .success(let descriptor) = found { abandon(descriptor) }
  }
}
