import Foundation

/// Writes a script of the shell that can be run at once.
///
/// Another process writes it: every child that this one starts meanwhile, for whichever test, would hold the
/// file open for writing until it becomes another program, and the kernel runs nothing that is being written.
package func writeScript(_ text: String, to path: String) throws {
  let writer = try FinishedProgram(
    "/bin/sh",
    ["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 700 \"$1\"", "sh", path, text])
  guard writer.status == 0 else { throw CocoaError(.fileWriteUnknown) }
}
