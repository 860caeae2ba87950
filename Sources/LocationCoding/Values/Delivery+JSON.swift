package import LocationModel

/// Every delivery is an object with one member; `subscriber` is its receiver, all if missing.
extension Delivery: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    func subscriber() throws(CodingFault) -> SubscriberID { try value.get("subscriber") }
    switch name {
    case "state": self = .state(try ClientState(json: value))
    case "authorizationChanged": self = .authorizationChanged(try value.find("subscriber"))
    case "temporaryFullAccuracy":
      self = .temporaryFullAccuracy(try subscriber(), try value.find("refusal"))
    case "updates": self = .updates(try subscriber(), try value.get("news"))
    case "live": self = .live(try subscriber(), try value.get("news"))
    case "visit": self = .pending(try Self.number(of: value), .visit(try Visit(json: value)))
    case "region":
      let (region, event): (RegionDescription, RegionEvent) = (
        try value.get("region"), try value.get("news")
      )
      switch event {
      case .entered, .exited: self = .pending(try Self.number(of: value), .region(region, event))
      case .started, .failed, .determined:
        self = .region(try value.find("subscriber"), region, event)
      }
    case "regions": self = .regions(try [RegionDescription](json: value))
    case "monitor": self = .monitor(try subscriber(), try value.get("news"))
    case "heading": self = .heading(try subscriber(), try value.get("news"))
    case "ranging": self = .ranging(try subscriber(), try value.get("news"))
    case "advertising": self = .advertising(try subscriber(), try value.get("news"))
    case "diagnostics": self = .diagnostics(try subscriber(), try value.find("news"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON { json(content: nil) }

  /// Encodes this delivery, with its value encoded already if `written` is given.
  package func json(content written: JSON?) -> JSON {
    func content(_ subscriber: SubscriberID, _ content: (some JSONCodable)?) -> JSON {
      .fields(["subscriber": subscriber.json, "news": written ?? content?.json])
    }
    return switch self {
    case .state(let state): .word("state", state.json)
    case .authorizationChanged(let subscriber):
      .word("authorizationChanged", .fields(["subscriber": subscriber?.json]))
    case .temporaryFullAccuracy(let subscriber, let refusal):
      .word(
        "temporaryFullAccuracy",
        .fields(["subscriber": subscriber.json, "refusal": refusal?.json]))
    case .updates(let subscriber, let delivery): .word("updates", content(subscriber, delivery))
    case .live(let subscriber, let update): .word("live", content(subscriber, update))
    case .pending(let number, .visit(let visit)):
      .word("visit", visit.json.adding("number", number.json))
    case .pending(let number, .region(let region, let event)):
      .word("region", Self.content(nil, region, event).adding("number", number.json))
    case .region(let subscriber, let region, let event):
      .word("region", Self.content(subscriber, region, event))
    case .regions(let regions): .word("regions", regions.json)
    case .monitor(let subscriber, let delivery): .word("monitor", content(subscriber, delivery))
    case .heading(let subscriber, let delivery): .word("heading", content(subscriber, delivery))
    case .ranging(let subscriber, let delivery): .word("ranging", content(subscriber, delivery))
    case .advertising(let subscriber, let state): .word("advertising", content(subscriber, state))
    case .diagnostics(let subscriber, let flags): .word("diagnostics", content(subscriber, flags))
    }
  }

  private static func content(
    _ subscriber: SubscriberID?, _ region: RegionDescription, _ event: RegionEvent
  ) -> JSON {
    .fields(["subscriber": subscriber?.json, "region": region.json, "news": event.json])
  }

  /// Returns the number of an event; a daemon of version 1 sends none.
  private static func number(of event: JSON) throws(CodingFault) -> EventNumber {
    try event.find("number") ?? .none
  }
}
