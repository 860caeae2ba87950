import Foundation
import TestSupport

/// A file system that a program provides (FUSE), with one program in it. It shows root as the owner of
/// everything, as it may, and stops to answer for attributes when it is stopped.
final class ProvidedFileSystem {
  static let isPossible = getuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0
  let mount: String
  var program: String { mount + "/app" }
  private let server: RunningProgram
  private let flag: String

  struct NotMounted: Error {}

  /// Mounts it in a folder, with a copy of a program as `app`, and perhaps a property list.
  init(in folder: TemporaryFolder, program: String, list: String? = nil) async throws {
    mount = folder.file("provided")
    flag = folder.file("stopped")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    server = try RunningProgram(
      "/usr/bin/python3",
      ["-c", Self.script, mount, flag, "app=\(program)"] + (list.map { ["app.plist=\($0)"] } ?? []))
    guard try await server.lines.next(where: { _ in true }) == "mounted" else {
      throw NotMounted()
    }
  }

  /// No question for attributes is answered any more.
  func stop() { _ = FileManager.default.createFile(atPath: flag, contents: nil) }

  deinit {
    server.end()
    umount2(mount, Int32(MNT_DETACH))
  }

  private static let script = """
    import ctypes, os, struct, sys
    mount, flag = sys.argv[1], sys.argv[2]
    entries = [word.split("=", 1) for word in sys.argv[3:]]
    content = {2 + index: open(path, "rb").read() for index, (_, path) in enumerate(entries)}
    numbers = {name.encode(): 2 + index for index, (name, _) in enumerate(entries)}
    fuse = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    libc = ctypes.CDLL(None)
    failed = libc.mount(b"provided", mount.encode(), b"fuse", 0, options)
    print("failed" if failed else "mounted", flush=True)
    def attributes(node):
      size, mode = (0, 0o40755) if node == 1 else (len(content[node]), 0o100755)
      return struct.pack("<6Q10I", node, size, size // 512 + 1, 1, 1, 1, 0, 0, 0, mode, 1, 0, 0, 0,
        4096, 0)
    def answer(unique, body=b"", error=0):
      try: os.write(fuse, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
      except OSError: pass
    while True:
      try: request = os.read(fuse, 1 << 20)
      except OSError as error:
        if error.errno in (2, 4): continue
        break
      _, kind, unique, node = struct.unpack_from("<IIQQ", request)
      words = request[40:]
      if kind in (1, 3) and os.path.exists(flag): continue
      if kind == 26:
        answer(unique, struct.pack("<IIIIHHIIHHI7I", 7, 31, 65536, 0, 12, 9, 65536, 1, 16, 0, 0,
          *[0] * 7))
      elif kind == 1:
        found = numbers.get(words.split(b"\\0")[0])
        if found is None: answer(unique, error=2)
        else: answer(unique, struct.pack("<QQQQII", found, 0, 0, 0, 0, 0) + attributes(found))
      elif kind == 3: answer(unique, struct.pack("<QII", 0, 0, 0) + attributes(node))
      elif kind in (14, 27): answer(unique, struct.pack("<QII", 1, 0, 0))
      elif kind == 15:
        _, offset, size = struct.unpack_from("<QQI", words)
        answer(unique, content[node][offset:offset + size])
      elif kind in (18, 25, 28, 29, 34): answer(unique)
      elif kind not in (2, 36, 42): answer(unique, error=38)
    """
}
