import LocationModel

/// Why a satellite receiver has no assistance data, though the owner names a file of it.
package enum ModemAssistanceFault: String, CaseIterable, Sendable {
  case unsupported = "the modem takes no assistance data of this kind (XTRA)"
  case missing = "the file of assistance data is missing"
  case unreadable = "the file of assistance data cannot be read"
  case size = "the file of assistance data is empty, or larger than 1 MiB"
  case permission = "this user may not give assistance data to the modem"
  case refused = "the modem has refused the assistance data"
  case noAnswer = "the modem has not answered to the assistance data"
}

/// What has become of the assistance data since a receiver was needed last.
package enum ModemAssistanceState: Hashable, Sendable {
  /// The modem has taken so many bytes.
  case given(bytes: Int)
  case fault(ModemAssistanceFault)
}

/// Reads assistance data for the satellite receiver of a modem, from a file that the owner names: when positions of the
/// receiver begin to be needed, and once an hour after that, since a newer file may have come.
///
/// | state | input | next |
/// |---|---|---|
/// | idle | a receiver that takes such data is needed | reading |
/// | reading | the file, or its fault | waiting |
/// | waiting | its time | reading |
/// | any | another receiver is needed, or none | idle; reading |
struct ModemAssistance: Sendable {
  private enum State: Hashable, Sendable {
    case idle
    case reading
    case waiting(until: Instant)
  }

  let path: String
  private var state = State.idle
  /// The modem whose receiver is needed, and whether it takes such data; `nil` while none is needed.
  private var receiver: (modem: String, takes: Bool)?
  /// The digest of what the receiver was given last; `nil` before, so that each start begins with it.
  private var given: UInt64?
  /// The size of that.
  private var bytes = 0
  private(set) var outcome: ModemAssistanceState?
  private var counts: [ModemAssistanceFault: Int] = [:]

  /// - Parameter path: of the file.
  init(path: String) { self.path = path }

  var rejections: [SourceRejection] { SourceRejection.list(counts) }

  /// When the file is read again; `nil` while no receiver is needed, or it is being read.
  var nextDeadline: Instant? { if case .waiting(let until) = state { until } else { nil } }

  /// Takes which receiver is needed.
  ///
  /// - Parameters:
  ///   - modem: its path; `nil` where none is needed.
  ///   - takes: whether it takes data of this kind.
  /// - Returns: what opens or closes the file.
  mutating func settle(_ modem: String?, takes: Bool) -> [SourceOutput] {
    let next = modem.map { (modem: $0, takes: takes) }
    guard next?.modem != receiver?.modem || next?.takes != receiver?.takes else { return [] }
    let last = state == .reading ? [SourceOutput.closeKernel] : []
    (receiver, given, state) = (next, nil, .idle)
    guard let next else { return last }
    outcome = nil
    guard next.takes else {
      note(.unsupported)
      return last
    }
    return last + read()
  }

  /// Takes what came of reading the file.
  ///
  /// - Returns: the data to give to the modem; `nil` where there is none, or the modem has it.
  mutating func take(_ event: ChannelEvent, at now: Instant) -> [UInt8]? {
    guard state == .reading else { return nil }
    switch event {
    case .contents(let data):
      state = .waiting(until: now + Self.interval)
      guard !data.isEmpty, data.count <= Self.most else {
        note(.size)
        return nil
      }
      let digest = FNV1a.hash(data)
      guard digest != given else { return nil }
      (given, bytes) = (digest, data.count)
      return data
    case .closed(let end):
      state = .waiting(until: now + Self.interval)
      if case .missing = end { note(.missing) } else { note(.unreadable) }
      return nil
    default: return nil
    }
  }

  mutating func wake(at now: Moment) -> [SourceOutput] {
    isDue(nextDeadline, now) ? read() : []
  }

  /// Takes the modem's answer.
  mutating func take(_ reply: BusReply) {
    guard receiver != nil else { return }
    guard case .error(let name) = reply else {
      outcome = .given(bytes: bytes)
      return
    }
    switch name.split(separator: ".").last {
    case "Unauthorized", "AccessDenied": note(.permission)
    case "Unsupported", "UnknownMethod": note(.unsupported)
    case "NoReply", "UnknownObject": note(.noAnswer)
    default: note(.refused)
    }
  }

  private mutating func read() -> [SourceOutput] {
    state = .reading
    return [.open(.contents(path: path, most: Self.most))]
  }

  private mutating func note(_ fault: ModemAssistanceFault) {
    outcome = .fault(fault)
    counts[fault, default: 0] += 1
  }

  /// Bytes. Chosen: files of XTRA have 20 to 150 kB. ModemManager takes 65,535 parts of 1,024 bytes, and less where the modem
  /// says so; a message of the system bus has at most 32 MiB.
  static let most = 1 << 20
  /// Chosen: the files hold for days, and are made anew several times a day.
  private static let interval = Duration.seconds(3600)
}
