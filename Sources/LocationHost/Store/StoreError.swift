import LocationModel
import LocationSQLite

/// An error of the database, and where it happened.
package struct StoreError: Error, Hashable, CustomStringConvertible {
  /// SQLite's primary result code.
  package var code: Int32
  package var context: String
  package var message: String

  init(_ error: DatabaseError, at context: String) {
    self.init(code: error.code, context: context, message: error.message)
  }

  /// Runs `body`, and adds to its error where it happened.
  static func at<Result>(
    _ context: String, _ body: () throws(DatabaseError) -> Result
  ) throws(StoreError) -> Result {
    do throws(DatabaseError) { return try body() } catch {
      throw StoreError(error, at: context)
    }
  }

  /// Runs `body`; a fault of a folder keeps the state from this process.
  static func locking<Result>(
    _ context: String, _ body: () throws(StateFault) -> Result
  ) throws(StoreError) -> Result {
    do throws(StateFault) { return try body() } catch {
      throw StoreError(code: locked, context: context, message: "\(error)")
    }
  }

  init(code: Int32, context: String, message: String) {
    (self.code, self.context, self.message) = (code, context, message)
  }

  /// Creates the system's error for a file beside the database.
  init(last call: String) {
    let error = Errno(last: call)
    self.init(code: DatabaseError.io, context: call, message: error.reason)
  }

  /// Whether the file itself is damaged, so that it must be moved aside.
  package var isCorruption: Bool {
    code == DatabaseError.damaged || code == DatabaseError.notADatabase
  }

  /// Creates the system's error for a file beside the database; it names a folder that is held by its path.
  init(_ error: Errno, in folder: HeldFolder? = nil) {
    let call = folder.map { error.call.substituting($0.file(""), with: $0.path + "/") }
    self.init(code: DatabaseError.io, context: call ?? error.call, message: error.reason)
  }

  /// Whether the state cannot be opened any more, because its keys are gone or are other ones.
  package var isKeyLost: Bool { code == Self.keyLost }

  /// Whether the keys are kept from this process, and nothing is lost.
  package var isLocked: Bool { code == Self.locked }

  /// Whether the disk has no room.
  var isFull: Bool { code == DatabaseError.full }

  /// Whether another process is writing.
  package var isBusy: Bool { code == DatabaseError.busy }

  /// Whether a newer program has written the file, which must not be changed.
  package var isNewer: Bool { code == Self.newer }

  /// Whether everything was erased, but its bytes are still in the files.
  var isErased: Bool { context == Self.erased }

  static let erased = "the entries are gone, and their bytes still in the files"
  /// Codes that SQLite does not use.
  static let (newer, locked, keyLost, tooLarge): (Int32, Int32, Int32, Int32) = (200, 201, 202, 203)

  package var description: String { "\(context): \(message)" }
}
