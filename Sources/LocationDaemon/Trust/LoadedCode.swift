import CLinux
import Glibc
import LocationHost

/// The code in the memory of a process: its program, and the libraries that it has loaded.
enum LoadedCode {
  /// Looks for code that others could have put into a process.
  ///
  /// Every file that it can execute must belong to root or to the owner of its program, and must
  /// not have been changed in memory or removed since; and no process may trace it.
  ///
  /// - Parameters:
  ///   - pid: the process.
  ///   - owners: the users whose files it may execute.
  /// - Returns: why it may run other code than its program's; `nil` if nothing foreign is found.
  static func fault(of pid: Int32, owners: Set<UInt32>) -> String? {
    guard let status = RunningProcesses.status(of: pid) else { return "process \(pid) has ended" }
    guard status.tracer == 0 else { return "process \(status.tracer) traces process \(pid)" }
    var words = [CChar](repeating: 0, count: room)
    let count = linux_loaded_code(pid, &words, UInt(words.count))
    guard count >= 0 else {
      return "the code in process \(pid) cannot be seen: \(Errno(code: -count, call: "smaps"))"
    }
    var checked: Set<Substring> = []
    let bytes = words.map { UInt8(bitPattern: $0) }
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    for line in text.split(separator: "\n") {
      let path = line.dropFirst()
      if ["[vdso]", "[vsyscall]"].contains(path) { continue }
      guard path.hasPrefix("/") else { return "it executes code that is no file's" }
      guard line.first == "=" else { return "its code was changed in memory: \(path)" }
      guard checked.insert(path).inserted else { continue }
      if let fault = ProtectedFile.fault(of: String(path), owners: owners) {
        return "it has loaded what others can change: \(fault.cause)"
      }
    }
    return checked.isEmpty ? "no program is seen in process \(pid)" : nil
  }

  /// The size of the buffer in bytes: a thousand libraries.
  private static let room = 1 << 17
}
