import CLinux
import Foundation
import Glibc
import LocationHost
import LocationModel
import Synchronization

/// A program to compare with that is not there.
struct MissingPeer: Error {
  var text: String
}

/// Where peers and the package's own parts are.
enum Peers {
  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of this executable, where the package's other executables are built.
  static let products: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent()
  }()

  /// The path of an installed program.
  static func program(_ name: String, from package: String) throws -> String {
    let inside = executable(name)?.path ?? "/usr/sbin/\(name)"
    guard FileManager.default.isExecutableFile(atPath: inside) else {
      throw MissingPeer(text: "\(name) is missing (Debian: \(package))")
    }
    return inside
  }

  /// The path of this executable.
  static let own =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

  /// A Python that has a package: that of Scripts/bench.sh, or the system's; `nil` for none.
  static func python(importing package: String) throws -> URL? {
    let venv = packageRoot.appending(path: ".build/bench-venv/bin/python")
    let all = [venv] + [executable("python3")].compactMap(\.self)
    return try all.first {
      try FileManager.default.isExecutableFile(atPath: $0.path)
        && run($0, ["-c", "import \(package)"]) != nil
    }
  }

  /// A folder for one benchmark; removed by whoever asked for it.
  static func folder(_ name: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "meridian-\(name)-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Builds the C client of libgps; it prints a line for each fix and ends after so many.
  static func libgpsClient(in folder: URL) throws -> String {
    try compiled(libgpsProgram, "client", ["-lgps"], in: folder, else: "Debian: libgps-dev")
  }

  /// Builds a C client of libgps that prints the date of each fix and the uptime of its arrival.
  static func libgpsStopwatch(in folder: URL) throws -> String {
    try compiled(stopwatchProgram, "stopwatch", ["-lgps"], in: folder, else: "Debian: libgps-dev")
  }

  /// Builds a program that runs another one and then prints the kilobytes it held at most.
  ///
  /// What the system says of a direct child begins with the memory of this process, before `exec`.
  static func memoryMeter(in folder: URL) throws -> String {
    try compiled(memoryProgram, "memory", [], in: folder, else: "a C library")
  }

  /// Builds a library to load before the C library, so that a program of libdispatch lives under
  /// valgrind 3.19, which writes into the constant mask that its main thread suspends with.
  static func suspendingLibrary(in folder: URL) throws -> String {
    try compiled(suspendProgram, "suspend.so", ["-shared", "-fPIC"], in: folder, else: "gcc")
  }

  private static func compiled(
    _ program: String, _ name: String, _ libraries: [String], in folder: URL, else missing: String
  ) throws -> String {
    let source = folder.appending(path: "\(name).c")
    let binary = folder.appending(path: name).path
    try program.write(to: source, atomically: false, encoding: .utf8)
    let compiler = URL(fileURLWithPath: try Self.program("cc", from: "gcc"))
    guard try run(compiler, ["-O2", source.path, "-o", binary] + libraries) != nil else {
      throw MissingPeer(text: "\(name).c does not build (\(missing))")
    }
    return binary
  }

  private static let suspendProgram = """
    #define _GNU_SOURCE
    #include <signal.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int sigsuspend(const sigset_t *mask) {
      sigset_t copy = *mask;
      return syscall(SYS_rt_sigsuspend, &copy, 8);
    }
    """

  private static let memoryProgram = """
    #include <stdio.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int main(int argc, char **argv) {
      struct rusage usage;
      int status;
      pid_t child = fork();
      if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(127);
      }
      if (wait4(child, &status, 0, &usage) < 0 || status != 0) return 1;
      printf("%ld\\n", usage.ru_maxrss);
      return 0;
    }
    """

  private static let stopwatchProgram = """
    #include <gps.h>
    #include <stdio.h>
    #include <time.h>
    int main(int argc, char **argv) {
      struct gps_data_t data;
      struct timespec now;
      double last = 0;
      if (gps_open("127.0.0.1", argv[1], &data)) return 1;
      gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
      while (gps_waiting(&data, 30000000)) {
        if (gps_read(&data, NULL, 0) < 0) return 1;
        if (!(data.set & LATLON_SET) || data.fix.mode < MODE_2D) continue;
        double time = data.fix.time.tv_sec + data.fix.time.tv_nsec * 1e-9;
        if (time == last) continue;
        last = time;
        clock_gettime(CLOCK_BOOTTIME, &now);
        printf("%.6f %lld\\n", time, now.tv_sec * 1000000000LL + now.tv_nsec);
        fflush(stdout);
      }
      return 1;
    }
    """

  private static let libgpsProgram = """
    #include <gps.h>
    #include <stdio.h>
    #include <stdlib.h>
    int main(int argc, char **argv) {
      struct gps_data_t data;
      long left = atol(argv[2]);
      double last = 0;
      if (gps_open("127.0.0.1", argv[1], &data)) return 1;
      gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
      while (left > 0 && gps_waiting(&data, 30000000)) {
        if (gps_read(&data, NULL, 0) < 0) return 1;
        if (!(data.set & LATLON_SET) || data.fix.mode < MODE_2D) continue;
        double time = data.fix.time.tv_sec + data.fix.time.tv_nsec * 1e-9;
        if (time == last) continue;
        last = time;
        printf("%.7f %.7f\\n", data.fix.latitude, data.fix.longitude);
        fflush(stdout);
        left--;
      }
      gps_close(&data);
      return left > 0;
    }
    """
}

/// A pseudo terminal that stands for a receiver's serial port, or the socket of a program that passes
/// a receiver's sentences on.
final class Port: Sendable {
  let path: String
  private let descriptor: Int32
  private let isTerminal: Bool
  /// What is written to, once somebody reads.
  private let end: Mutex<Int32?>

  init() throws {
    var descriptor: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    guard linux_open_pty(&descriptor, &name, UInt(name.count)) == 0 else {
      throw MissingPeer(text: "no pseudo terminal can be opened")
    }
    self.descriptor = descriptor
    isTerminal = true
    end = Mutex(descriptor)
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // gpsd gives its privileges up.
    chmod(path, 0o666)
  }

  /// Listens at a socket. What is written to a terminal is passed on by a thread of the kernel, which
  /// waits for a processor like any other; what is written to a socket is there at once.
  init(listeningAt path: String) throws {
    self.path = path
    descriptor = try DaemonSocket.listen(at: path)
    isTerminal = false
    end = Mutex(nil)
  }

  deinit {
    if !isTerminal, let end = end.withLock({ $0 }) { close(end) }
    close(descriptor)
  }

  /// What a daemon is to read.
  func source(mayRest: Bool) -> String {
    isTerminal ? "nmea://\(path)?baud=115200&rest=\(mayRest)" : "nmea+unix://\(path)"
  }

  /// Writes at once, and says when that began.
  ///
  /// The end of the write is no beginning of a stopwatch: who reads the port may be done before the
  /// writer, which the kernel may put aside for it, reads the clock.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Instant {
    let end = end.withLock { end in
      if let end { return end }
      let accepted = accept(descriptor, nil, nil)
      end = accepted
      return accepted
    }
    let begin = HostClock.now.uptime
    _ = Glibc.write(end, bytes, bytes.count)
    return begin
  }
}

/// A port of this machine that was free a moment ago.
func freePort() -> Int {
  let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(socket) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  return withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
      guard bind(socket, raw, length) == 0, getsockname(socket, raw, &length) == 0 else { return }
    }
    return Int(UInt16(bigEndian: pointer.pointee.sin_port))
  }
}
