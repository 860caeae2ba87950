import CLinux
package import Dispatch
import Glibc
import LocationHost

/// Finds out which processes the system has frozen, by their control groups.
///
/// Has one watch for each group, in one instance of inotify for all: a user may have few instances
/// (128, unless root allows more). Never leaves its queue.
package final class FreezeWatch {
  private struct Followed {
    var process: Int32
    /// `nil` while it is in a group that cannot be frozen.
    var group: ControlGroup?
    var isFrozen = false
  }

  /// A group with at least one process that is followed.
  private struct Watched {
    /// The kernel's number of the watch.
    var watch: Int32
    var members: Set<Int> = []
  }

  private let descriptor: Int32
  private let source: (any DispatchSourceRead)?
  private var followed: [Int: Followed] = [:]
  private var watched: [ControlGroup: Watched] = [:]

  /// Calls `hasChanges` on the queue when ``changes()`` may return some, if the kernel has watches.
  package init(on queue: DispatchQueue, hasChanges: @escaping @Sendable () -> Void) {
    let descriptor = linux_open_watches()
    self.descriptor = descriptor
    guard descriptor >= 0 else {
      source = nil
      return
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler(handler: hasChanges)
    source.setCancelHandler { close(descriptor) }
    source.activate()
    self.source = source
  }

  deinit {
    source?.cancel()
  }

  /// Begins to follow a process under a number, and returns whether it is frozen now.
  package func follow(_ process: Int32, as number: Int) -> Bool {
    guard source != nil else { return false }
    followed[number] = Followed(process: process)
    return settle(number) ?? false
  }

  package func leave(_ number: Int) {
    if let group = followed.removeValue(forKey: number)?.group { exit(group, number) }
  }

  /// Returns the changes since the last call, in the order of the numbers.
  package func changes() -> [(number: Int, isFrozen: Bool)] {
    var numbers = [Int32](repeating: 0, count: 64)
    let count = Int(linux_read_watches(descriptor, &numbers))
    let changed = Set(numbers.prefix(count))
    let touched = watched.values.filter { changed.contains($0.watch) || changed.contains(-1) }
      .flatMap(\.members).sorted()
    return touched.compactMap { number in settle(number).map { (number, $0) } }
  }

  /// Updates the group of a process and whether it is frozen; returns `nil` if that is unchanged.
  private func settle(_ number: Int) -> Bool? {
    guard let before = followed[number] else { return nil }
    var now = before
    now.group = ControlGroup(ofProcess: before.process)
    if now.group != before.group {
      if let group = before.group { exit(group, number) }
      if let group = now.group { enter(group, number) }
    }
    // The watch is added before the file is read; otherwise a change in between would be missed.
    now.isFrozen = now.group?.isFrozen ?? false
    followed[number] = now
    return now.isFrozen == before.isFrozen ? nil : now.isFrozen
  }

  private func enter(_ group: ControlGroup, _ number: Int) {
    if watched[group] == nil {
      let watch = linux_add_watch(descriptor, group.events)
      guard watch >= 0 else { return }
      watched[group] = Watched(watch: watch)
    }
    watched[group]?.members.insert(number)
  }

  private func exit(_ group: ControlGroup, _ number: Int) {
    watched[group]?.members.remove(number)
    guard let entry = watched[group], entry.members.isEmpty else { return }
    linux_remove_watch(descriptor, entry.watch)
    watched[group] = nil
  }
}
