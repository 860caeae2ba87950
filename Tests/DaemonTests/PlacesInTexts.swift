extension String {
  /// Whether a number that begins with these degrees is in this text, except in times of day, whose seconds may look
  /// like it, and behind other digits.
  func hasDegrees(_ degrees: String) -> Bool {
    replacing(/\d\d:\d\d:\d\d(\.\d+)?/, with: "")
      .split { !$0.isNumber && $0 != "." }
      .contains { $0.hasPrefix(degrees) }
  }
}
