"""What doc_coverage.py sees, and what it lets pass."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import doc_coverage


def faults(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "A.swift"
        path.write_text(text)
        return [fault for _, kind, name, signature, comment in doc_coverage.declarations(path)
                for fault in doc_coverage.faults(kind, name, signature, comment)]


class DocCoverage(unittest.TestCase):
    def test_complete(self):
        self.assertEqual(faults("""
/// Adds two numbers.
///
/// - Parameters:
///   - a: The first, in meters.
///   - b: The second.
/// - Returns: Meters.
/// - Throws: An error when there is no sum.
public func sum(
  of a: Double, _ b: (Int, Int) -> Double
) async throws -> Double { a }

/// Ends it.
@available(*, deprecated)
public func end() {}
"""), [])

    def test_missing(self):
        self.assertEqual(faults("""
/// The sum of a number.
public func sum(of a: Double) throws -> Double { a }
/// Whose it is.
public var owner: String
public init(x: Int) {}
"""), ["the summary begins with no verb: The sum of a number.", "no - Parameter a",
       "no - Returns", "no - Throws", "the summary says nothing: Whose it is.",
       "has no documentation"])

    def test_only_public(self):
        self.assertEqual(faults("func a(b: Int) -> Int { b }\nprivate func c(d: Int) {}\n"), [])

    def test_requirements(self):
        self.assertEqual(faults("""
/// A protocol.
public protocol P {
  /// The news.
  func hear(_ news: Int)
}
"""), ["the summary begins with no verb: The news.", "no - Parameter news"])

    def test_class_members(self):
        self.assertEqual(faults("""
/// A class.
open class A {
  /// Whether there is one.
  open class func exists(for kind: Int) -> Bool { true }
  open class var shared: A { A() }
  /// Another.
  final class B {}
}
"""), ["the summary begins with no verb: Whether there is one.", "no - Parameter kind",
       "no - Returns", "has no documentation"])

    def test_complexity(self):
        found = [(3, "public func find(\n  _ a: Int)", ["Finds.", "- Complexity: Linear."]),
                 (9, "public var all: [Int]", ["All."])]
        self.assertEqual(list(doc_coverage.unstated(["func find(_ a", "var all", "init(gone"], found)),
                         [(9, "`var all`: no - Complexity"),
                          (1, "no member `init(gone` any more, and NOT_CONSTANT lists it")])


if __name__ == "__main__":
    unittest.main()
