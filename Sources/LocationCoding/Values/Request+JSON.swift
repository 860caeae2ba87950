package import LocationModel

/// Every request is an object with one member, named for the service; `subscriber` is the sender.
extension Request: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    func subscriber() throws(CodingFault) -> SubscriberID { try value.get("subscriber") }
    switch name {
    case "authorization": self = .authorization(try AuthorizationRequest(json: value))
    case "updates": self = .updates(try subscriber(), try value.get("ask"))
    case "live": self = .live(try subscriber(), try value.get("ask"))
    case "significantChanges":
      self = .significantChanges(try subscriber(), on: try value.get("on"))
    case "visits": self = .visits(on: try value.get("on"), by: try value.find("subscriber"))
    case "took": self = .acknowledge(try value.get("number"))
    case "region": self = .region(try subscriber(), try value.get("ask"))
    case "monitor": self = .monitor(try subscriber(), try value.get("ask"))
    case "heading": self = .heading(try subscriber(), try value.get("ask"))
    case "ranging": self = .ranging(try subscriber(), try value.get("ask"))
    case "advertising": self = .advertising(try subscriber(), try value.get("ask"))
    case "session": self = .session(try subscriber(), try value.get("ask"))
    case "life": self = .life(try value.get("now"))
    case "end": self = .end(try subscriber())
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    func ask(_ subscriber: SubscriberID, _ request: some JSONCodable) -> JSON {
      .fields(["subscriber": subscriber.json, "ask": request.json])
    }
    return switch self {
    case .authorization(let request): .word("authorization", request.json)
    case .updates(let subscriber, let request): .word("updates", ask(subscriber, request))
    case .live(let subscriber, let request): .word("live", ask(subscriber, request))
    case .significantChanges(let subscriber, let on):
      .word("significantChanges", .fields(["subscriber": subscriber.json, "on": on.json]))
    case .visits(let on, let subscriber):
      .word("visits", .fields(["on": on.json, "subscriber": subscriber?.json]))
    case .acknowledge(let number): .word("took", .fields(["number": number.json]))
    case .region(let subscriber, let request): .word("region", ask(subscriber, request))
    case .monitor(let subscriber, let request): .word("monitor", ask(subscriber, request))
    case .heading(let subscriber, let request): .word("heading", ask(subscriber, request))
    case .ranging(let subscriber, let request): .word("ranging", ask(subscriber, request))
    case .advertising(let subscriber, let request):
      .word("advertising", ask(subscriber, request))
    case .session(let subscriber, let request): .word("session", ask(subscriber, request))
    case .life(let life): .word("life", .fields(["now": life.json]))
    case .end(let subscriber): .word("end", .fields(["subscriber": subscriber.json]))
    }
  }
}

extension AuthorizationRequest: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let (name, value) = try json.word()
    switch name {
    case "observe": self = .observe(try value.get("subscriber"))
    case "request":
      self = .request(try value.get("goal"), by: try value.get("subscriber"))
    case "temporaryFullAccuracy":
      self = .temporaryFullAccuracy(
        purposeKey: try value.get("purposeKey"), ticket: try value.get("subscriber"))
    default: throw .unknownWord(name)
    }
  }

  package var json: JSON {
    switch self {
    case .observe(let subscriber): .word("observe", .fields(["subscriber": subscriber.json]))
    case .request(let goal, let subscriber):
      .word("request", .fields(["goal": goal.json, "subscriber": subscriber.json]))
    case .temporaryFullAccuracy(let key, let ticket):
      .word(
        "temporaryFullAccuracy",
        .fields(["purposeKey": key.json, "subscriber": ticket.json]))
    }
  }
}
