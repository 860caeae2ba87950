import CoreFoundation
import Synchronization

/// Where the callbacks of a manager run: the run loop of the thread that made it, or a substitute
/// (MODEL-4).
enum CallbackPlace: Sendable {
  /// For the main thread, the main actor, and every other task: on Linux the main actor of an
  /// `async` main is not the main thread, and no run loop runs there.
  case mainQueue
  /// For another thread of the app; callbacks run while its run loop runs (MODEL-5).
  case runLoop(ThreadLoop)
  /// For virtual time, which runs the callbacks itself.
  case given(LocationClient.CallbackRunner)

  /// Returns the place that belongs to the calling thread.
  static func ofCaller(in client: LocationClient) -> CallbackPlace {
    if let callbacks = client.callbacks { return .given(callbacks()) }
    let isTask = withUnsafeCurrentTask { $0 != nil }
    let isMain = Thread.isMainThread || isTask || isOnMainQueue
    return isMain ? .mainQueue : .runLoop(ThreadLoop())
  }

  /// Whether the caller runs on the main queue, which on Linux any thread may serve.
  private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueMark) != nil }

  private static let mainQueueMark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Runs the callback at this place, later, in the order of the calls.
  func run(_ callback: @escaping @Sendable () -> Void) {
    switch self {
    case .mainQueue: DispatchQueue.main.async(execute: RunLoopWatch.ofMainQueue.watch(callback))
    case .runLoop(let loop): loop.perform(callback)
    case .given(let run): run(callback)
    }
  }
}

/// The run loop of a thread that is not the main one.
final class ThreadLoop: Sendable {
  // Any thread may add work to a Core Foundation run loop and wake it; the compiler cannot know
  // this (docs/decisions/0004).
  private nonisolated(unsafe) let loop: CFRunLoop
  private nonisolated(unsafe) let keepAlive: Timer
  private let runLoopWatch = RunLoopWatch(
    "a CLLocationManager was made on a thread whose run loop does not run, so its delegate gets "
      + "no calls. Make it on the main thread, or run RunLoop.current there.")

  /// Takes the run loop of the calling thread; a timer that never fires keeps it from ending for
  /// lack of work, as Apple's manager does.
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
    CFRunLoopPerformBlock(loop, kCFRunLoopCommonModes, runLoopWatch.watch(callback))
    CFRunLoopWakeUp(loop)
  }
}

/// Warns once when callbacks are queued on a run loop that does not run (MODEL-5).
private final class RunLoopWatch: Sendable {
  private enum State {
    case nothingSent, waiting, settled
  }

  static let ofMainQueue = RunLoopWatch(
    "the delegate of a CLLocationManager gets no calls while the main run loop does not run. Run "
      + "RunLoop.main, or let an asynchronous main function await.")

  /// Chosen: longer than a main thread may be busy.
  private static let timeout = DispatchTimeInterval.seconds(5)

  private let warning: String
  private let state = Mutex(State.nothingSent)

  init(_ warning: String) {
    self.warning = warning
  }

  /// Returns the callback, wrapped until the first one has run.
  func watch(_ callback: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let (isFirst, isSettled) = state.withLock { state in
      defer { if state == .nothingSent { state = .waiting } }
      return (state == .nothingSent, state == .settled)
    }
    if isSettled { return callback }
    if isFirst { warnInTime() }
    return { [self] in
      settle()
      callback()
    }
  }

  /// Ends the wait for the first callback; returns whether it had not ended before.
  @discardableResult
  private func settle() -> Bool {
    state.withLock { state in
      defer { state = .settled }
      return state != .settled
    }
  }

  private func warnInTime() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) { [self] in
      guard settle() else { return }
      FileHandle.standardError.write(Data("CoreLocation: \(warning)\n".utf8))
    }
  }
}
