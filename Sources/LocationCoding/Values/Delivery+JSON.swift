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

  package var json: JSON { json(news: nil) }

  /// Encodes this delivery, with its value encoded already if `written` is given.
  package func json(news written: JSON?) -> JSON {
    func news(_ subscriber: SubscriberID, _ news: (some JSONCodable)?) -> JSON {
      .fields(["subscriber": subscriber.json, "news": written ?? news?.json])
    }
    return switch self {
    case .state(let state): .word("state", state.json)
    case .authorizationChanged(let subscriber):
      .word("authorizationChanged", .fields(["subscriber": subscriber?.json]))
    case .temporaryFullAccuracy(let subscriber, let refusal):
      .word(
        "temporaryFullAccuracy",
        .fields(["subscriber": subscriber.json, "refusal": refusal?.json]))
    case .updates(let subscriber, let delivery): .word("updates", news(subscriber, delivery))
    case .live(let subscriber, let update): .word("live", news(subscriber, update))
    case .pending(let number, .visit(let visit)):
      .word("visit", visit.json.adding("number", number.json))
    case .pending(let number, .region(let region, let event)):
      .word("region", Self.news(nil, region, event).adding("number", number.json))
    case .region(let subscriber, let region, let event):
      .word("region", Self.news(subscriber, region, event))
    case .regions(let regions): .word("regions", regions.json)
    case .monitor(let subscriber, let delivery): .word("monitor", news(subscriber, delivery))
    case .heading(let subscriber, let delivery): .word("heading", news(subscriber, delivery))
    case .ranging(let subscriber, let delivery): .word("ranging", news(subscriber, delivery))
    case .advertising(let subscriber, let state): .word("advertising", news(subscriber, state))
    case .diagnostics(let subscriber, let flags): .word("diagnostics", news(subscriber, flags))
    }
  }

  private static func news(
    _ subscriber: SubscriberID?, _ region: RegionDescription, _ event: RegionEvent
  ) -> JSON {
    .fields(["subscriber": subscriber?.json, "region": region.json, "news": event.json])
  }

  /// Returns the number of an event; a daemon of version 1 sends none.
  private static func number(of event: JSON) throws(CodingFault) -> EventNumber {
    try event.find("number") ?? .none
  }
}
