import Foundation
import TestSupport
import LocationService
import LocationEngine
import LocationHost
import LocationSecrets
import LocationModel
import Testing

@Suite("The stored secret of coarse places")
struct CoarseSecretStoreTests {
  private let folder: TemporaryFolder
  private static let key = StateKey(domain: "secret", owner: "")
  private static let cell = StateEntry(key: CoarseLocator.key, value: Array("1530 17".utf8))

  init() throws { folder = try TemporaryFolder() }

  private func keeper() -> StateKeeper { StateKeeper(folder: StateFolder(path: folder.path)) }

  private func stored() throws -> [StateEntry] {
    try StateStore(path: folder.file("state.sqlite")).entries()
  }

  /// Stores what waits, as the first step of an engine does.
  private func commit(_ keeper: StateKeeper) {
    let change = StateChange.set(StateKey(domain: "test", owner: ""), [1])
    keeper.commit([.engine(.persist(change))])
  }

  @Test("border 6: is 32 random bytes, of each machine its own, and stays the same")
  func random() throws {
    let first = keeper()
    let secret = first.secret()
    commit(first)
    #expect(keeper().secret() == secret)
    let other = try TemporaryFolder()
    #expect(StateKeeper(folder: StateFolder(path: other.path)).secret() != secret)
    #expect(secret.withUnsafeBytes { Set($0) }.count > 16, "32 random bytes are rarely so few")
    #expect(try stored().first { $0.key == Self.key }?.value.count == 64)
  }

  @Test(
    "border 6: a number of 64 bits, or garbage, is replaced once, and the cell it laid forgotten",
    arguments: ["18446744073709551615", "", "deadbeef", String(repeating: "0", count: 65)])
  func replaced(old: String) throws {
    let store = try StateStore(path: folder.file("state.sqlite"))
    try store.commit([
      .set(Self.key, Array(old.utf8)), .set(Self.cell.key, Self.cell.value),
    ])
    let first = keeper()
    let secret = first.secret()
    #expect(!first.entries.contains { $0.key == CoarseLocator.key }, "no engine learns of the cell")
    commit(first)
    #expect(try !stored().contains { $0.key == CoarseLocator.key })
    let second = keeper()
    #expect(second.secret() == secret)
    // One that is laid by the new secret stays.
    try store.commit([.set(Self.cell.key, Self.cell.value)])
    let third = keeper()
    #expect(third.secret() == secret)
    #expect(third.entries.contains(Self.cell))
  }
}
