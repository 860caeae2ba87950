import Glibc

/// The rules of all countries, of which the kernel takes those of one when it is named.
enum RegulatoryDatabase {
  /// Returns whether the kernel finds it, in its folder or the one for updates, or compressed.
  static func isInstalled(in folder: String = "/lib/firmware") -> Bool {
    places.contains { access("\(folder)/\($0)", R_OK) == 0 }
  }

  private static let places = ["", "updates/"].flatMap { part in
    ["", ".xz", ".zst"].map { "\(part)regulatory.db\($0)" }
  }
}
