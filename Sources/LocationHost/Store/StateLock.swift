import Glibc
import Synchronization

/// Assigns a state to a daemon alone, or to `locationctl` and the engines of apps in their own
/// processes together (docs/decisions/0069).
///
/// A record lock of the kernel on a file in the folder: it ends with the process, survives the
/// execution of another program, and the kernel names the process that holds it. Such a lock is
/// lost when any descriptor of the file is closed, so a process opens the file once, however many
/// engines it runs.
package final class StateLock: Sendable {
  /// How the state is held.
  package enum Share: Sendable {
    /// With others: each uses only the rows of its own app.
    case together
    /// By a daemon, which has all of it.
    case alone
  }

  /// One file that this process has open.
  private struct Holding {
    var descriptor: Int32
    var users: Int
  }

  private static let holdings = Mutex<[FileNumber: Holding]>([:])

  /// Stays the same for the life of the lock, also in the program that is executed next.
  package let descriptor: Int32
  private let number: FileNumber

  /// Takes the lock without waiting.
  ///
  /// - Parameters:
  ///   - folder: the folder to lock.
  ///   - share: alone, or with others.
  ///   - inherited: a descriptor of the same file that this process has locked before it executed
  ///     this program; one of another file is closed.
  /// - Throws: `StateFault` with the holder, or with why the lock cannot be made.
  package init(_ folder: StateFolder, _ share: Share, inherited: Int32? = nil) throws(StateFault) {
    let taken = Self.holdings.withLock { holdings -> Result<(Int32, FileNumber), StateFault> in
      do throws(StateFault) {
        return .success(try Self.take(folder, share, inherited, in: &holdings))
      } catch { return .failure(error) }
    }
    (descriptor, number) = try taken.get()
  }

  deinit {
    Self.holdings.withLock { [number] holdings in
      guard var holding = holdings[number] else { return }
      holding.users -= 1
      holdings[number] = holding.users > 0 ? holding : nil
      if holding.users == 0 { close(holding.descriptor) }
    }
  }

  /// Whether the folder has ever contained a state.
  package var hadState: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size > 0
  }

  /// Records that the folder contains a state.
  package func noteState() {
    guard !hadState else { return }
    let note = Array("state\n".utf8)
    if pwrite(descriptor, note, note.count, 0) > 0 { fsync(descriptor) }
  }

  private static func take(
    _ folder: StateFolder, _ share: Share, _ inherited: Int32?,
    in holdings: inout [FileNumber: Holding]
  ) throws(StateFault) -> (Int32, FileNumber) {
    let path = folder.path + "/" + StateFolder.lock
    if let inherited { adopt(inherited, at: path, in: &holdings) }
    // A lock on a file that was removed in the meantime has no effect.
    for _ in 0..<8 {
      let known = FileNumber(of: path).flatMap { number in
        holdings[number].map { ($0.descriptor, number) }
      }
      let (descriptor, number) = if let known { known } else { try open(path) }
      if let holder = lock(descriptor, share) {
        if known == nil { close(descriptor) }
        throw fault(holder, folder, share)
      }
      guard FileNumber(of: path) == number else {
        if known == nil { close(descriptor) }
        continue
      }
      holdings[number, default: Holding(descriptor: descriptor, users: 0)].users += 1
      return (descriptor, number)
    }
    throw StateFault(.unsafe, "\(path) is replaced again and again")
  }

  /// Adopts the descriptor that this process has opened before it executed this program.
  private static func adopt(
    _ descriptor: Int32, at path: String, in holdings: inout [FileNumber: Holding]
  ) {
    guard let number = FileNumber(of: descriptor) else { return }
    guard number == FileNumber(of: path) else {
      close(descriptor)
      return
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    holdings[number] = Holding(descriptor: descriptor, users: 0)
  }

  private static func open(_ path: String) throws(StateFault) -> (Int32, FileNumber) {
    let first = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard first >= 0 else { throw StateFault(Errno(last: "open \(path)")) }
    // Avoids the descriptors that systemd counts from 3.
    let descriptor = fcntl(first, F_DUPFD_CLOEXEC, 10)
    close(first)
    guard descriptor >= 0 else { throw StateFault(Errno(last: "open \(path)")) }
    fchmod(descriptor, 0o600)
    guard let number = FileNumber(of: descriptor) else {
      close(descriptor)
      throw StateFault(.unsafe, "\(path) is no ordinary file", next: "rm \(path.quoted)")
    }
    return (descriptor, number)
  }

  /// Locks the file; returns `nil` on success, else the process that holds the lock and whether it
  /// holds it alone.
  private static func lock(_ descriptor: Int32, _ share: Share) -> (pid: Int32, isDaemon: Bool)? {
    for _ in 0..<100 {
      var wanted = request(share)
      if fcntl(descriptor, F_SETLK, &wanted) == 0 { return nil }
      var holder = request(share)
      guard fcntl(descriptor, F_GETLK, &holder) == 0 else { break }
      // The holder has gone in between.
      if holder.l_type == Int16(F_UNLCK) { continue }
      return (holder.l_pid, holder.l_type == Int16(F_WRLCK))
    }
    return (0, false)
  }

  private static func request(_ share: Share) -> flock {
    var lock = flock()
    lock.l_type = Int16(share == .alone ? F_WRLCK : F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    return lock
  }

  private static func fault(
    _ holder: (pid: Int32, isDaemon: Bool), _ folder: StateFolder, _ share: Share
  ) -> StateFault {
    // A process of another container has no number here.
    let process = holder.pid > 0 ? "process \(holder.pid)" : "a process of another container"
    let who =
      holder.isDaemon
      ? "a location daemon, \(process), has the state in \(folder.path)"
      : "\(process) uses the state in \(folder.path) with an engine of its own"
    let end =
      holder.pid <= 0 ? "end it" : holder.isDaemon ? "end it: kill \(holder.pid)" : "end that app"
    let next =
      share == .together
      ? "name its socket in LOCATIOND_SOCKET, or \(end)"
      : "\(end), or give this one a folder of its own: --state FOLDER --socket PATH"
    return StateFault(.held(pid: holder.pid, isDaemon: holder.isDaemon), who, next: next)
  }
}
