import Dispatch
package import LocationEngine
import LocationService
package import LocationModel

/// Answers from a policy file, which it reads again for each prompt.
package final class PolicyAgent: PromptAgent {
  package let name: String
  private let path: String
  private let queue = DispatchQueue(label: "meridian.policy")

  package init(path: String) {
    self.path = path
    name = AgentChoice.policy(path: path).name
  }

  package var obstacle: String? { Self.faults(in: path).first?.description }

  package func show(_ prompt: Prompt, reply: @escaping @Sendable (AgentReply) -> Void) {
    queue.async { [path] in
      switch Self.read(path) {
      case .success(let policy): reply(policy.reply(to: prompt))
      case .failure(let faults): reply(.passed(reason: faults.text))
      }
    }
  }

  /// Returns all faults of a file.
  package static func faults(in path: String) -> [FileFault] {
    guard case .failure(let faults) = read(path) else { return [] }
    return faults.all
  }

  private struct Faults: Error {
    var all: [FileFault]
    var text: String { all.map(\.description).joined(separator: ", ") }
  }

  /// Reads a policy; a file with a fault decides nothing at all.
  private static func read(_ path: String) -> Result<PromptPolicy, Faults> {
    do throws(OwnedFile.Fault) {
      let bytes = try OwnedFile.read(path, limit: longest)
      let (policy, faults) = PromptPolicy.read(String(decoding: bytes, as: UTF8.self), file: path)
      return faults.isEmpty ? .success(policy) : .failure(Faults(all: faults))
    } catch {
      return .failure(Faults(all: [FileFault(file: path, line: 0, cause: error.description)]))
    }
  }

  /// The greatest size of the file in bytes.
  private static let longest = 1 << 20
}
