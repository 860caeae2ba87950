internal import LocationModel

/// The files of fences of a fleet, each under a version that its bytes give.
///
/// They are in the broker, so that every owner of a partition judges by the same ones, at the same
/// place of its input.
package enum FenceStore {
  /// Bytes of one value: brokers have a limit.
  private static let chunk = 512 * 1024

  /// 16 hexadecimal digits of FNV-1a over the file.
  package static func version(of file: [UInt8]) -> String {
    let text = String(FNV1a.hash(file), radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }

  static func isVersion(_ text: String) -> Bool {
    text.utf8.count == 16 && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// Stores a file, and has every partition judge by it from here on; returns its version.
  ///
  /// - Chosen (FLEET-84): refused while a tenant is being erased, which overwrites versions that nobody judges by
  ///   yet. An erasure that begins meanwhile leaves something in every partition, so it is seen there.
  package static func publish(
    _ file: [UInt8], partitions: Int, to broker: inout some FleetBroker
  ) throws(BrokerFault) -> String {
    let fault = "others write into the partitions at the same time; publish the fences again"
    return try retrying(orRefuse: fault) { () throws(BrokerFault) in
      var places: [UInt64] = []
      for partition in 0..<partitions { places.append(try place(in: partition, &broker)) }
      // Not before that: one that begins in between would be seen nowhere.
      do throws(BrokerFault) { try refuseWhileErasing(&broker) } catch {
        if case .refused = error { try mend(file, partitions: partitions, &broker) }
        throw error
      }
      let stored = try store(file, to: &broker)
      for (partition, place) in places.enumerated() {
        try announce(stored.version, in: partition, behind: place, to: &broker)
      }
      // It is published all the same: what this leaves, the next publication overwrites.
      do throws(BrokerFault) {
        try overwriteUnneeded(before: stored.head, partitions: partitions, &broker)
      } catch {}
      return stored.version
    }
  }

  /// Returns the ids of the fences that have another area than those in force, and the same revision.
  ///
  /// - Chosen (FLEET-104): devices know a fence by its id and revision. One that was inside the area before would
  ///   exit the other one, or enter it, without having moved; so such fences are not published.
  package static func moved(
    in fences: FleetFences, partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> [String] {
    for before in try inForce(partitions: partitions, &broker) {
      let moved = fences.moved(since: before)
      if !moved.isEmpty { return moved }
    }
    return []
  }

  /// Returns the fences by which partitions judge, each file once; all have the same, unless a publication was
  /// interrupted.
  package static func inForce(
    partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> [FleetFences] {
    var versions: Set<String> = []
    for partition in 0..<partitions {
      // Nobody judges by what cannot be read; to publish fences may be the way out of that.
      do throws(BrokerFault) {
        try versions.formUnion(TenantFences.inForce(in: partition, &broker).suffix(1))
      } catch { guard case .damaged = error else { throw error } }
    }
    var found: [FleetFences] = []
    for version in versions.sorted() {
      do throws(BrokerFault) { found.append(try read(version, from: &broker)) } catch {
        guard case .damaged = error else { throw error }
      }
    }
    return found
  }

  /// The last message that concerns a whole partition.
  static func place(
    in partition: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> UInt64 {
    let end = try broker.last(of: .fixes(partition), key: FleetAddress.control(of: partition))
    return end.message?.sequence ?? 0
  }

  /// Begins something anew where others have written, and refuses it where they go on.
  static func retrying<Value>(
    orRefuse cause: String, _ body: () throws(BrokerFault) -> Value
  ) throws(BrokerFault) -> Value {
    for _ in 0..<attempts {
      do throws(BrokerFault) { return try body() } catch {
        guard error == .conflict else { throw error }
      }
    }
    throw .refused(cause)
  }

  private static let attempts = 8

  /// Stores a file; returns its version, and the number of the message that says that it is there whole.
  ///
  /// That message is put anew also where it is there: nobody who found it unneeded before can overwrite it, or
  /// the parts, any more. Where it is not there somebody may just be overwriting the parts: they are put anew.
  static func store(
    _ file: [UInt8], to broker: inout some FleetBroker
  ) throws(BrokerFault) -> (version: String, head: UInt64) {
    let version = version(of: file)
    let count = (file.count + chunk - 1) / chunk
    let text = Array("\(count)".utf8)
    let head = try renew(text, at: version, &broker)
    for number in 0..<count {
      let part = file[(number * chunk)..<min((number + 1) * chunk, file.count)]
      let key = "\(version).\(number)"
      try putPart(Array(part), at: key, isKept: head != nil, &broker)
    }
    if let head { return (version, head) }
    return (version, try put(text, at: version, &broker))
  }

  /// Has a partition judge by a version from here on, if nothing that concerns all of it has come behind a
  /// place. For no version a message is left all the same.
  static func announce(
    _ version: String, in partition: Int, behind place: UInt64, to broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let control = version.isEmpty ? ControlMessage.mark : .fences(version)
    _ = try broker.put(
      Array(control.text.utf8), at: FleetAddress.control(of: partition), in: .fixes(partition),
      expecting: place)
  }

  /// Notes that a tenant is being erased; returns the number of the note, which goes at the end.
  static func noteErasure(
    of tenant: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> UInt64 {
    let key = "\(erasing).\(FleetAddress.part(tenant))"
    let known = try broker.last(of: .fences, key: key).message?.sequence ?? 0
    return try broker.put([UInt8(ascii: "+")], at: key, in: .fences, expecting: known)
  }

  private static func refuseWhileErasing(_ broker: inout some FleetBroker) throws(BrokerFault) {
    guard let note = try broker.first(erasures, in: .fences, from: 1) else { return }
    let label = tenant(ofErasure: note)
    throw .refused(
      "tenant \(label) is being erased; publish the fences again when that has ended, and if nobody "
        + "goes on with it, run `locationfleet erase \(label) --all` before")
  }

  /// Stores again what is missing of a file that is in force somewhere: else neither its partition nor an
  /// erasure could go on, and no other fences could be published for that.
  private static func mend(
    _ file: [UInt8], partitions: Int, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let version = version(of: file)
    for partition in 0..<partitions {
      guard try TenantFences.inForce(in: partition, &broker).contains(version) else { continue }
      _ = try store(file, to: &broker)
      return
    }
  }

  /// The subjects of the notes of tenants that are being erased.
  static var erasures: String { "*.*.\(erasing).*" }

  /// How the tenant of such a note is called in commands.
  static func tenant(ofErasure note: LogMessage) -> String {
    let name = note.entry.subject.split(separator: ".").last.flatMap { FleetAddress.name($0) }
    return FleetAddress.label(of: name ?? "")
  }

  /// The part of a key that names the tenant that is being erased.
  private static let erasing = "erasing"

  /// The versions of which something is kept, and the messages of each, of those before a number.
  static func versions(
    in broker: inout some FleetBroker, before end: UInt64 = .max
  ) throws(BrokerFault) -> [(version: String, sequences: [UInt64])] {
    var found: [String: [UInt64]] = [:]
    var from: UInt64 = 1
    // One at a time: each may have half a megabyte.
    while let message = try broker.first(">", in: .fences, from: from), message.sequence < end {
      from = message.sequence + 1
      let key = message.entry.subject.split(separator: ".").dropFirst(2)
      guard let version = key.first.map(String.init), isVersion(version) else { continue }
      found[version, default: []].append(message.sequence)
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func putPart(
    _ bytes: [UInt8], at key: String, isKept: Bool, _ broker: inout some FleetBroker
  ) throws(BrokerFault) {
    let known = try broker.last(of: .fences, key: key).message
    if isKept, known?.entry.bytes == bytes { return }
    if let known {
      // What is only replaced stays in the server's files, where no erasure would find it any more.
      _ = try broker.erase([known.sequence], of: .fences)
    }
    _ = try put(bytes, at: key, &broker)
  }

  /// Puts a value, behind what is there. Another one that writes there writes the same.
  private static func put(
    _ bytes: [UInt8], at key: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> UInt64 {
    try retrying(orRefuse: contended) { () throws(BrokerFault) in
      let known = try broker.last(of: .fences, key: key).message?.sequence ?? 0
      return try broker.put(bytes, at: key, in: .fences, expecting: known)
    }
  }

  /// Puts a value that is there anew; `nil` where it is not there.
  private static func renew(
    _ bytes: [UInt8], at key: String, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> UInt64? {
    try retrying(orRefuse: contended) { () throws(BrokerFault) in
      guard let known = try broker.last(of: .fences, key: key).message?.sequence else {
        return nil
      }
      return try broker.put(bytes, at: key, in: .fences, expecting: known)
    }
  }

  private static let contended =
    "others publish the same fences at the same time; publish them again"

  /// Reads the fences of a version; those of the empty version are none.
  package static func read(
    _ version: String, from broker: inout some FleetBroker
  ) throws(BrokerFault) -> FleetFences {
    guard !version.isEmpty else { return FleetFences() }
    let file = try file(version, from: &broker)
    do throws(FenceFile.Fault) { return try FenceFile.read(file) } catch {
      throw .damaged("fences \(version): \(error.cause)")
    }
  }

  /// Reads the file of a version.
  static func file(
    _ version: String, from broker: inout some FleetBroker
  ) throws(BrokerFault) -> [UInt8] {
    var file: [UInt8] = []
    let head = try broker.last(of: .fences, key: version).message
    guard let head, let count = Int(String(decoding: head.entry.bytes, as: UTF8.self)),
      (0...(FenceFile.longest / chunk + 1)).contains(count)
    else { throw .damaged("fences \(version)") }
    for number in 0..<count {
      guard let part = try broker.last(of: .fences, key: "\(version).\(number)").message else {
        throw .damaged("fences \(version).\(number)")
      }
      file += part.entry.bytes
    }
    guard self.version(of: file) == version else { throw .damaged("fences \(version)") }
    return file
  }
}
