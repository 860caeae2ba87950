import Glibc
import LocationHost
package import LocationLink

/// The programs that may answer for a person, or administer: the installed `locationctl`, and those
/// that the owner of the daemon has registered in its configuration.
package struct TrustedPrograms: Hashable, Sendable {
  /// What a program is trusted with.
  package enum Role: String, CaseIterable, Sendable {
    case agent, owner

    /// The key of the configuration that registers a program.
    package var key: String { "\(rawValue)-program" }
  }

  /// The registered paths, as they were typed.
  package var agents: [String]
  package var owners: [String]
  /// The path of `locationctl` in the folder of the daemon's own program.
  package let tool: String

  package init(agents: [String] = [], owners: [String] = []) {
    (self.agents, self.owners) = (agents, owners)
    let own = RunningProcesses().program(of: getpid()) ?? ""
    tool = (own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "") + "/locationctl"
  }

  /// Returns the paths registered for a role.
  func registered(for role: Role) -> [String] {
    switch role {
    case .agent: agents
    case .owner: owners
    }
  }

  /// Returns the users who may own a program: root, the daemon's user, and for an agent the user
  /// for whose apps it answers.
  static func owners(of role: Role, for user: UInt32) -> Set<UInt32> {
    role == .agent ? [0, getuid(), user] : [0, getuid()]
  }

  /// Every registered program, and why it is not trusted if so.
  package var statuses: [TrustedProgramStatus] {
    Role.allCases.flatMap { role in
      registered(for: role).map { path in
        var status = stat()
        let user = stat(path, &status) == 0 ? status.st_uid : getuid()
        let fault = Self.fault(of: path, owners: Self.owners(of: role, for: user))
        return TrustedProgramStatus(
          path: path, role: role.rawValue, obstacle: fault?.cause, mend: fault?.mend)
      }
    }
  }

  /// Why registered programs are not trusted, a line for each.
  package var faults: [String] { statuses.compactMap(\.fault) }

  /// Returns why a program cannot be trusted; `nil` if it can.
  static func fault(of path: String, owners: Set<UInt32>) -> ProtectedFile.Fault? {
    if let fault = ProtectedFile.fault(of: path, owners: owners) { return fault }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var first = [UInt8](repeating: 0, count: 2)
    guard read(descriptor, &first, 2) == 2, first == Array("#!".utf8) else { return nil }
    return ProtectedFile.Fault(
      cause: "\(path): it is a script, and the kernel names its interpreter; register a program")
  }

  /// Returns whose program a process that shows questions runs.
  func kind(ofProgramOf pid: Int32) -> Shower.Program {
    if agents.contains(where: { Self.isFile(at: $0, runBy: pid) }) { return .registered }
    guard let path = RunningProcesses().program(of: pid), Self.isFile(at: path, runBy: pid),
      ProtectedFile.fault(of: path, owners: [0]) == nil
    else { return .other }
    return .system
  }

  /// Returns whether a process runs the file at a path now.
  static func isFile(at path: String, runBy pid: Int32) -> Bool {
    var (running, present) = (stat(), stat())
    return RunningProcesses().program(of: pid) == path
      && stat("/proc/\(pid)/exe", &running) == 0 && lstat(path, &present) == 0
      && running.st_dev == present.st_dev && running.st_ino == present.st_ino
  }
}
