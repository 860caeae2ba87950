internal import LocationFleet
internal import LocationModel
internal import LocationProviders

extension Fuzzer {
  private static let device = FleetDeviceName(tenant: "a", device: "b c")

  /// What is sent on must be lines of the device that the worker reads.
  private static func check(_ report: DeviceReport) {
    var count = 0
    for message in report.messages {
      precondition(message.count <= FleetLine.longest, "the stream does not take so much")
      for line in message.split(separator: UInt8(ascii: "\n")) {
        let read = try? FleetLine(Array(line))
        precondition(read?.tenant == "a" && read?.device == "b c", "a line is not read again")
        count += 1
      }
    }
    precondition(count == report.fixes, "\(count) lines of \(report.fixes) fixes")
  }

  /// What the devices of a fleet send to its ingress, and who they are.
  static var devices: [Fuzzer] {
    [
      Fuzzer("device-report") { bytes in
        check(DeviceReport(bytes, of: device, group: "g"))
        _ = DeviceReport.claim(bytes)
      },
      Fuzzer("device-query") { bytes in
        let pairs = String(decoding: bytes, as: UTF8.self).split(separator: "&").map { pair in
          let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
        }
        check(DeviceReport(query: pairs, of: device))
      },
      Fuzzer("mqtt") { bytes in
        // The first byte says in which pieces the others come; they cut packets anywhere.
        guard let first = bytes.first else { return }
        func outputs(_ size: Int) -> [MQTTConnection.Output] {
          var connection = MQTTConnection(at: .start)
          var found: [MQTTConnection.Output] = []
          var rest = bytes.dropFirst()
          while !rest.isEmpty {
            var new = connection.handle(.bytes(Array(rest.prefix(size))), at: .piece(0))
            rest = rest.dropFirst(size)
            while !new.isEmpty {
              found += new
              var next: [MQTTConnection.Output] = []
              for output in new {
                switch output {
                case .authenticate:
                  next += connection.handle(.authenticated(true), at: .piece(0))
                case .publish(let message, _, _):
                  next += connection.handle(.kept(message), at: .piece(0))
                default: break
                }
              }
              new = next
            }
          }
          return found
        }
        let (one, many) = (outputs(bytes.count), outputs(Int(first) % 7 + 1))
        func publishes(_ outputs: [MQTTConnection.Output]) -> [MQTTConnection.Output] {
          outputs.filter { if case .publish = $0 { true } else { false } }
        }
        precondition(publishes(one) == publishes(many), "pieces change what is published")
      },
      Fuzzer("mqtt-publisher") { bytes in
        // As above: the first byte says in which pieces the broker's bytes come.
        guard let first = bytes.first else { return }
        func outputs(_ size: Int) -> [MQTTPublisher.Output] {
          var machine = MQTTPublisher(MQTTPublisher.Login(client: "c"))
          var found = machine.handle(.open, at: .start)
          for number in 0..<4 as Range<UInt64> {
            found += machine.handle(.publish(number, topic: "t", payload: [1]), at: .start)
          }
          var rest = bytes.dropFirst()
          while !rest.isEmpty {
            found += machine.handle(.bytes(Array(rest.prefix(size))), at: .start)
            rest = rest.dropFirst(size)
          }
          return found
        }
        let (one, many) = (outputs(bytes.count), outputs(Int(first) % 5 + 1))
        precondition(one == many, "pieces change what is confirmed")
        let confirmed = one.compactMap {
          if case .confirmed(let number) = $0 { number } else { nil }
        }
        precondition(Set(confirmed).count == confirmed.count, "something is confirmed twice")
      },
      Fuzzer("device-accounts") { bytes in
        var faults: [FleetConfiguration.Fault] = []
        for (user, account) in DeviceAccounts(bytes, &faults).byUser {
          precondition(user == account.user && FleetLine.isName(user), "a user without a name")
        }
      },
    ]
  }
}
