import CSQLite
import Glibc
import Synchronization

/// Counts what the store does to its files, and ends the process before one of these operations
/// as a loss of power would: no handler runs, nothing is flushed.
enum StoreOperations {
  private static let count = Atomic(0)
  private static let last = Atomic(Int.max)

  /// From now on, every operation counts; the process dies before the operation of this number.
  static func begin(dyingBefore number: Int) {
    last.store(number, ordering: .relaxed)
    guard let vfs = sqlite3_vfs_find(nil) else { return }
    func replace<Call>(_ name: String, with call: Call) {
      _ = vfs.pointee.xSetSystemCall(vfs, name, unsafeBitCast(call, to: sqlite3_syscall_ptr.self))
    }
    let open: @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32 = { path, flags, mode in
      StoreOperations.pass()
      return path.map { Glibc.open($0, flags, mode_t(mode)) } ?? -1
    }
    let write: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = {
      StoreOperations.pass()
      return Glibc.write($0, $1, $2)
    }
    let pwrite: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
      StoreOperations.pass()
      return Glibc.pwrite($0, $1, $2, $3)
    }
    let truncate: @convention(c) (Int32, off_t) -> Int32 = {
      StoreOperations.pass()
      return ftruncate($0, $1)
    }
    let remove: @convention(c) (UnsafePointer<CChar>?) -> Int32 = { path in
      StoreOperations.pass()
      return path.map { unlink($0) } ?? -1
    }
    replace("open", with: open)
    replace("write", with: write)
    replace("pwrite", with: pwrite)
    replace("pwrite64", with: pwrite)
    replace("ftruncate", with: truncate)
    replace("unlink", with: remove)
  }

  /// One operation is about to happen.
  static func pass() {
    if count.add(1, ordering: .relaxed).newValue == last.load(ordering: .relaxed) {
      kill(getpid(), SIGKILL)
    }
  }
}
