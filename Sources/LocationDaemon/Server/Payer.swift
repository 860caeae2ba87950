import CLinux
import LocationHost

/// The account that the daemon charges for its work: a user, and the program that asks.
///
/// In a user namespace of its own a program pays as the user who made the namespace.
///
/// A program is the file that runs, by device and inode. So all its processes count as one,
/// whatever their number, and none can count as another program.
package struct Payer: Hashable, Sendable {
  package var user: UInt32
  /// The program; `nil` if the kernel does not report it; all such programs of a user are one.
  package var program: Program?

  package struct Program: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
      (self.device, self.inode) = (device, inode)
    }
  }

  package init(user: UInt32, program: Program?) {
    (self.user, self.program) = (user, program)
  }

  /// Identifies the process that opened a connection. Asks only the kernel, and never waits.
  init(of connection: Int32) {
    var (process, user, group): (Int32, UInt32, UInt32) = (0, .max, 0)
    _ = linux_peer_credentials(connection, &process, &user, &group)
    self.init(process: process, of: user)
  }

  /// Identifies a process of a user; 0 for one that is not known.
  init(process: Int32, of user: UInt32) {
    var user = user
    var (device, inode): (UInt64, UInt64) = (0, 0)
    // Users of a namespace are its maker's subordinates, of whom each person may have thousands.
    var maker: UInt32 = 0
    if process > 0 { linux_namespace_maker(process, &maker) }
    if maker != 0 { user = maker }
    let isKnown = process > 0 && linux_program_file(process, &device, &inode) == 0
    self.init(user: user, program: isKnown ? Program(device: device, inode: inode) : nil)
  }
}
