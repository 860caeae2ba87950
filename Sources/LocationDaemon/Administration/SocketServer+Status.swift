import Dispatch
import LocationCoding
import LocationHost
import LocationLink
import LocationModel

// Those who follow the status (ADMIN-1 to ADMIN-4).
extension SocketServer {
  func followStatus(_ number: Int, places: Bool) {
    connections[number]?.sendSmall()
    stepStatus(.follow(number, places: places))
    host.onQueue { host in
      guard host.stepped == nil else { return }
      host.stepped = { [weak self] in self?.onQueue { $0.noteStep() } }
    }
  }

  /// Removes a connection that has ended; without any, steps of the engine are no longer noticed.
  func leaveStatus(_ number: Int) {
    guard !owner.status.isEmpty else { return }
    stepStatus(.leave(number))
    if owner.status.isEmpty { host.onQueue { $0.stepped = nil } }
  }

  /// Notes that the engine has made a step. Not now: it may be in the middle of it.
  func noteStep() {
    guard !owner.isStepNoted else { return }
    owner.isStepNoted = true
    queue.async { [weak self] in
      self?.onQueue { server in
        server.owner.isStepNoted = false
        server.stepStatus(.changed)
      }
    }
  }

  private func stepStatus(_ input: StatusFollowers.Input) {
    for output in owner.status.handle(input, at: host.now) {
      switch output {
      case .look(let places, let all):
        let blocked = Set(connections.filter { !$0.value.hasRoom }.keys)
        stepStatus(.seen(view(places: places, all: all), places: places, blocked: blocked))
      case .send(let number, let change):
        answer(number, .fields(["change": change.json]), continues: true)
      case .awaitReader(let number):
        connections[number]?.awaitRoom { [weak self] in
          self?.onQueue { $0.stepStatus(.ready(number)) }
        }
      }
    }
    armStatus()
  }

  private func armStatus() {
    guard let due = owner.status.nextDeadline else { return }
    if let armed = owner.statusArmed, armed <= due { return }
    owner.statusArmed = due
    enter(at: due) { server in
      server.owner.statusArmed = nil
      server.stepStatus(.wake)
    }
  }

  /// What the daemon knows now; the state is read only for all of it.
  private func view(places: Bool, all: Bool) -> StatusView {
    var view = StatusView()
    view.status = status(places: places, readsStore: false)
    view.conditions = host.onQueue { $0.conditionStatuses(places: places) }
    guard all else { return view }
    view.apps = apps()
    view.events = host.onQueue { $0.eventRecords(of: nil) }
    view.access = host.onQueue { $0.accessRecords(of: nil) }
    return view
  }
}
