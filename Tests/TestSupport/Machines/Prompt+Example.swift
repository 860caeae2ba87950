package import LocationModel

extension Prompt {
  /// A question of an app that draws walks.
  package static func example(_ kind: Kind = .whenInUse, number: Int = 1) -> Prompt {
    Prompt(
      id: ID(app: AppIdentity("org.example.Walk"), number: number), kind: kind,
      appName: "Walk", text: "To draw your walk.", offersPrecise: true)
  }
}
