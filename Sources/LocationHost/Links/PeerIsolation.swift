import Glibc

/// Finds out whether a process is in a container, a sandbox, or a chroot.
package enum PeerIsolation {
  /// Compares the namespaces and the root folder of a process with those of this one.
  ///
  /// A daemon of the system has a mount namespace of its own (`PrivateMounts`), so the namespace of
  /// the first process is accepted as well, if it can be seen.
  ///
  /// - Returns: why it is in a sandbox, or cannot be seen; `nil` if it is in none.
  package static func fault(of pid: Int32) -> String? {
    if let fault = namespaceFault(of: pid) { return fault }
    guard let mounts = namespace("mnt", of: "\(pid)") else { return unseen(pid) }
    guard [namespace("mnt", of: "self"), namespace("mnt", of: "1")].contains(mounts) else {
      return "process \(pid) runs in a sandbox: it has a mount namespace of its own"
    }
    var (theirs, ours) = (stat(), stat())
    guard stat("/proc/\(pid)/root", &theirs) == 0, stat("/", &ours) == 0 else { return unseen(pid) }
    guard theirs.st_dev == ours.st_dev, theirs.st_ino == ours.st_ino else {
      return "process \(pid) runs in a sandbox: it has a root folder of its own"
    }
    let marker = "/proc/\(pid)/root/.flatpak-info"
    guard access(marker, F_OK) != 0 else { return "process \(pid) runs in a Flatpak" }
    return nil
  }

  /// Compares the namespaces of users and processes only.
  ///
  /// Whoever has made such a namespace may have the kernel show another program for a process in it,
  /// and another process as the sender of a message.
  ///
  /// - Returns: why what the kernel says of the process is no proof; `nil` if it is.
  package static func namespaceFault(of pid: Int32) -> String? {
    for kind in ["user", "pid"] {
      guard let theirs = namespace(kind, of: "\(pid)") else { return unseen(pid) }
      guard theirs == namespace(kind, of: "self") else {
        return "process \(pid) runs in a sandbox: it has a \(kind) namespace of its own"
      }
    }
    return nil
  }

  private static func unseen(_ pid: Int32) -> String {
    "it cannot be seen whether process \(pid) runs in a sandbox"
  }

  private static func namespace(_ kind: String, of process: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/\(process)/ns/\(kind)", &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
