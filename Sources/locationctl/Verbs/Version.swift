import LocationCoding
import LocationModel

extension Verb {
  static let versionNumber = Release.version

  static let version = Verb(
    name: "version", summary: "Print the version", options: [.json],
    run: { invocation in
      guard invocation.has(.json) else {
        return Output.standard.line("locationctl \(versionNumber)")
      }
      var line = JSONLine(type: "version")
      line.add("version", versionNumber)
      Output.standard.line(line.text)
    })
}
