import Glibc
import LocationFleet
import LocationSecrets

/// The keys of tenants in a folder: a file for each, with the name of the tenant as a part of a subject.
struct TenantKeyFiles: Sendable {
  let folder: String

  func path(of tenant: String) -> String { "\(folder)/\(FleetAddress.part(tenant))" }

  /// Whether there is something where the key of a tenant is to be.
  func has(_ tenant: String) -> Bool { access(path(of: tenant), F_OK) == 0 }

  /// Whether the folder can be looked at, and has no key of a tenant; the key itself is not read.
  func isWithout(_ tenant: String) -> Bool {
    guard access(path(of: tenant), F_OK) != 0, errno == ENOENT else { return false }
    return access(folder, X_OK) == 0
  }

  /// Where a worker finds the keys.
  static func source(_ folder: String?) -> TenantKeySource {
    guard let folder else { return .broker }
    let files = TenantKeyFiles(folder: folder)
    return .elsewhere { (tenant) throws(BrokerFault) in
      do throws(FleetFault) { return try files.read(tenant) } catch {
        throw .sealed(tenant: tenant, error.reason, files.has(tenant) ? .unreadable : .unmade)
      }
    }
  }

  /// Reads the key of a tenant.
  private func read(_ tenant: String) throws(FleetFault) -> SecretKey {
    let path = path(of: tenant)
    guard has(tenant) else { throw FleetFault(reason: "there is no \(path)") }
    var bytes = try Input.secret(path)
    defer { wipe(&bytes) }
    let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
    guard let key = SecretKey(digits: bytes[..<end]) else {
      throw FleetFault(reason: "\(path) is no key: 64 hexadecimal digits are expected")
    }
    return key
  }

  /// What is wrong with the key of a tenant, or `nil`.
  func fault(of tenant: String) -> String? {
    do throws(FleetFault) {
      _ = try read(tenant)
      return nil
    } catch { return error.reason }
  }

  /// What is wrong with the folder, or `nil`.
  var fault: String? {
    var state = stat()
    guard stat(folder, &state) == 0 else { return String(cString: strerror(errno)) }
    guard state.st_mode & S_IFMT == S_IFDIR else { return "is no folder" }
    return state.st_mode & 0o022 == 0 ? nil : "others can write in it"
  }

  /// What is wrong with the folder and with each key in it.
  ///
  /// - Chosen (FLEET-137): a name in the folder is a tenant, so others must not list it.
  var faults: [String] {
    if let fault { return ["`tenant-keys` \(folder): \(fault)"] }
    var state = stat()
    stat(folder, &state)
    var faults: [String] = []
    if state.st_mode & 0o007 != 0 {
      faults.append(
        "`tenant-keys` \(folder): others can list its tenants; next: chmod 750 \(folder)")
    }
    guard let listing = opendir(folder) else {
      return faults + ["`tenant-keys` \(folder): \(String(cString: strerror(errno)))"]
    }
    defer { closedir(listing) }
    var tenants: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix("."), let tenant = FleetAddress.name(name[...]) else { continue }
      tenants.append(tenant)
    }
    for tenant in tenants.sorted() {
      guard let fault = fault(of: tenant) else { continue }
      let next = TenantKeyFault.unreadable.next(for: FleetAddress.label(of: tenant))
      faults.append("\(fault); next: \(next)")
    }
    return faults
  }

  /// Makes the key of a tenant, for the owner and the group of the folder.
  func make(_ tenant: String) throws(FleetFault) {
    let path = path(of: tenant)
    var state = stat()
    if let fault { throw FleetFault(reason: "`tenant-keys` \(folder): \(fault)", status: 1) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let cause = String(cString: strerror(errno))
      throw FleetFault(
        reason: "\(path): \(cause)"
          + (errno == EEXIST ? "; another key would not open what this one has sealed" : ""),
        status: 1)
    }
    defer { close(descriptor) }
    var text = SecretKey.random().digits + [UInt8(ascii: "\n")]
    defer { wipe(&text) }
    stat(folder, &state)
    guard text.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == text.count,
      fchown(descriptor, uid_t.max, state.st_gid) == 0, fchmod(descriptor, 0o640) == 0,
      fsync(descriptor) == 0, syncFolder()
    else {
      let cause = String(cString: strerror(errno))
      unlink(path)
      throw FleetFault(reason: "\(path): \(cause)", status: 1)
    }
    try Printout.line(path)
  }

  /// Overwrites the key of a tenant and removes it; returns whether there was one.
  func destroy(_ tenant: String) throws(FleetFault) -> Bool {
    let path = path(of: tenant)
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return false }
    defer { if descriptor >= 0 { close(descriptor) } }
    // No key, for whoever reads it at this moment.
    let marks = [UInt8](repeating: UInt8(ascii: "x"), count: 2 * SecretKey.length)
    guard descriptor >= 0, write(descriptor, marks, marks.count) == marks.count,
      fsync(descriptor) == 0, unlink(path) == 0, syncFolder()
    else {
      let cause = String(cString: strerror(errno))
      throw FleetFault(
        reason: "all but the key is erased; destroy \(path) by hand (\(cause))", status: 1)
    }
    return true
  }

  /// Has the folder itself kept, so that what was made or removed in it stays so without power.
  private func syncFolder() -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    return descriptor >= 0 && fsync(descriptor) == 0
  }
}
