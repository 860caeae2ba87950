import Dispatch
import Glibc
import Synchronization

/// The terminal while a program has it: a screen of its own, and keys that come at once. Each end of the program
/// gives the terminal back.
struct TerminalScreen {
  private let state: State
  private let sources: [any DispatchSourceProtocol]

  /// Takes the terminal; `nil` where standard input or output is no terminal, or a dumb one.
  ///
  /// - Parameter pressed: is called with each key; with `q`, too, when no more can come.
  init?(_ pressed: @escaping @Sendable (UInt8) -> Void) {
    var settings = termios()
    let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
    guard Output.standard.isTerminal, kind != "dumb", tcgetattr(STDIN_FILENO, &settings) == 0 else {
      return nil
    }
    let state = State(settings)
    let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    keys.setEventHandler {
      var key: UInt8 = 0
      pressed(read(STDIN_FILENO, &key, 1) == 1 ? key : UInt8(ascii: "q"))
    }
    keys.resume()
    let ends = [SIGINT, SIGTERM, SIGHUP].map { number in
      EndSignals.source(of: number) {
        state.leave()
        _exit(128 + number)
      }
    }
    let stop = EndSignals.source(of: SIGTSTP) {
      state.leave()
      kill(getpid(), SIGSTOP)
    }
    let continuation = EndSignals.source(of: SIGCONT) { state.enter() }
    self.state = state
    sources = [keys, stop, continuation] + ends
    state.enter()
  }

  /// Gives the terminal back.
  func end() {
    for source in sources { source.cancel() }
    state.leave()
  }

  /// Shows lines in place of those before.
  func show(_ lines: [String]) {
    state.whileShown {
      let output = Output.standard
      output.write("\u{1b}[H")
      for line in lines {
        output.write("\u{1b}[2K")
        output.line(line)
      }
      output.write("\u{1b}[J")
    }
  }

  private final class State: Sendable {
    private let settings: termios
    private let isShown = Mutex(false)

    init(_ settings: termios) { self.settings = settings }

    func enter() {
      isShown.withLock { isShown in
        guard !isShown else { return }
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        // The other screen, without a cursor; a line that is too long is cut.
        Output.standard.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
        isShown = true
      }
    }

    /// Draws, unless the terminal is somebody else's now.
    func whileShown(_ draw: () -> Void) {
      isShown.withLock { if $0 { draw() } }
    }

    func leave() {
      isShown.withLock { isShown in
        guard isShown else { return }
        Output.standard.write("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        isShown = false
      }
    }
  }
}
