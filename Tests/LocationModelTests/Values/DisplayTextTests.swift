import LocationModel
import Testing

@Suite("A text of others, as a person sees it")
struct DisplayTextTests {
  @Test(
    "border 5: has no character that a terminal obeys, that turns text around, or that is not seen",
    arguments: [
      ("\u{1b}[2J", "\\u{1B}[2J"), ("a\rb", "a\\u{D}b"), ("a\nb\tc", "a\\u{A}b\\u{9}c"),
      ("\u{0}\u{7f}\u{9b}", "\\u{0}\\u{7F}\\u{9B}"), ("\u{202e}", "\\u{202E}"),
      ("\u{200b}\u{200f}\u{2028}", "\\u{200B}\\u{200F}\\u{2028}"),
      ("\u{2060}\u{2069}\u{feff}", "\\u{2060}\\u{2069}\\u{FEFF}"),
      ("\u{e0041}\u{ad}\u{61c}\u{3164}", "\\u{E0041}\\u{AD}\\u{61C}\\u{3164}"),
      ("\r\n", "\\u{D}\\u{A}"), ("Zu Fuß, 東京 ❤\u{fe0f}", "Zu Fuß, 東京 ❤\u{fe0f}"),
    ])
  func escaping(_ text: String, _ shown: String) {
    #expect(text.escapedForDisplay() == shown)
    #expect(text.escapedForDisplay().escapedForDisplay() == shown)
  }

  @Test("border 5: is no longer than a person reads")
  func length() {
    #expect("abcdef".escapedForDisplay(limit: 3) == "abc…")
    #expect("abc".escapedForDisplay(limit: 3) == "abc")
    // One character for Swift, a column of marks for a terminal.
    let tower = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(tower.escapedForDisplay(limit: 64).unicodeScalars.count == 65)
  }

  @Test("border 5: does not end its quotation marks")
  func quotation() {
    #expect("a” or “b".quotedForDisplay() == "“a\\u{201D} or \\u{201C}b”")
  }

  @Test("border 5: keeps its value in JSON")
  func json() {
    #expect("\"a\u{202e}\u{e0041}é\"".escapedInJSON == "\"a\\u202e\\udb40\\udc41é\"")
  }
}
