import LocationCoding
import LocationLink

extension ConsoleRoute.Change {
  /// The method of the administration interface that does it.
  private var method: String {
    switch self {
    case .services: "SetServices"
    case .authorize: "Authorize"
    case .erase: "EraseData"
    case .watch: "AddCondition"
    case .unwatch: "RemoveCondition"
    }
  }

  /// The request of the owner that the page has written; the daemon judges it as each of `locationctl`'s.
  func request(_ body: [UInt8]) throws(Failure) -> AdministrationRequest {
    do throws(CodingFault) {
      let parameters = try JSON(parsing: body)
      guard self != .erase || parameters["app"] != nil else { throw .missing("app") }
      let call = LinkCall("\(AdministrationInterface.name).\(method)", parameters)
      if let request = try AdministrationRequest(call) { return request }
    } catch {
      throw .usage("the page has asked for what is not understood: \(error)", next: "load it again")
    }
    throw .usage("there is no \(method)", next: "load the page again")
  }

  /// Does it at the daemon in use.
  func perform(_ body: [UInt8]) throws(Failure) {
    let request = try request(body)
    try RunningDaemon.needed().perform(request)
  }
}
