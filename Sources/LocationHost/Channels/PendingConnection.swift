import Dispatch

/// A connection attempt that has not succeeded or failed yet.
final class PendingConnection {
  private let source: any DispatchSourceWrite

  /// Calls `decided` once, on the queue: with the error, or with `nil` if the attempt succeeded.
  init(
    descriptor: Int32, on queue: DispatchQueue, decided: @escaping @Sendable (Errno?) -> Void
  ) {
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    self.source = source
    source.setEventHandler {
      source.cancel()
    }
    source.setCancelHandler {
      decided(Opening.connectionError(descriptor))
    }
  }

  func begin() {
    source.activate()
  }
}
