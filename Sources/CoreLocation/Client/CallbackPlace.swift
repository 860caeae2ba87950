import CoreFoundation
import Synchronization

/// Where the callbacks of a manager run: the run loop, or its stand-in, of the thread that made it
/// (MODEL-4).
enum CallbackPlace: Sendable {
  /// The main thread, the main actor, and every other task: on Linux the main actor of an
  /// `async` main is not the main thread, and no run loop runs there.
  case mainQueue
  /// A thread of the app's own; callbacks come while its run loop runs (MODEL-5).
  case runLoop(ThreadLoop)
  /// Virtual time decides.
  case given(LocationClient.CallbackRunner)

  /// The place that belongs to the calling thread.
  static func ofCaller(in client: LocationClient) -> CallbackPlace {
    if let callbacks = client.callbacks { return .given(callbacks()) }
    let isTask = withUnsafeCurrentTask { $0 != nil }
    let isMain = Thread.isMainThread || isTask || isOnMainQueue
    return isMain ? .mainQueue : .runLoop(ThreadLoop())
  }

  /// Whether this is a job of the main queue, which on Linux any thread may serve.
  private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueMark) != nil }

  private static let mainQueueMark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Runs the callback there, later, in the order of the calls.
  func run(_ callback: @escaping @Sendable () -> Void) {
    switch self {
    case .mainQueue: DispatchQueue.main.async(execute: callback)
    case .runLoop(let loop): loop.perform(callback)
    case .given(let run): run(callback)
    }
  }
}

/// The run loop of a thread that is not the main one.
final class ThreadLoop: Sendable {
  // A Core Foundation run loop may be given work and woken from any thread; the compiler cannot
  // know (docs/decisions/0004).
  private nonisolated(unsafe) let loop: CFRunLoop
  private nonisolated(unsafe) let keepAlive: Timer
  private let heard = Heard()

  /// The run loop of the calling thread; a timer that never fires keeps it from ending for lack of
  /// work, as Apple's manager does.
  init() {
    loop = CFRunLoopGetCurrent()
    keepAlive = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) {
      _ in
    }
    RunLoop.current.add(keepAlive, forMode: .common)
  }

  deinit {
    keepAlive.invalidate()
  }

  func perform(_ callback: @escaping @Sendable () -> Void) {
    let heard = heard
    CFRunLoopPerformBlock(loop, kCFRunLoopCommonModes) {
      heard.note()
      callback()
    }
    CFRunLoopWakeUp(loop)
    heard.expectWithin(seconds: 5)
  }
}

/// Warns once when callbacks wait for a run loop that does not run (MODEL-5).
private final class Heard: Sendable {
  private enum State {
    case nothingSent, waiting, settled
  }

  private let state = Mutex(State.nothingSent)

  func note() {
    state.withLock { $0 = .settled }
  }

  func expectWithin(seconds: Int) {
    let isFirst = state.withLock { state in
      guard case .nothingSent = state else { return false }
      state = .waiting
      return true
    }
    guard isFirst else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in
      let isWaiting = state.withLock { state in
        guard case .waiting = state else { return false }
        state = .settled
        return true
      }
      guard isWaiting else { return }
      let warning =
        "CoreLocation: a CLLocationManager was made on a thread whose run loop does not run, so "
        + "its delegate hears nothing. Make it on the main thread, or run RunLoop.current there.\n"
      FileHandle.standardError.write(Data(warning.utf8))
    }
  }
}
