package import LocationModel

/// What the sensors of a computer can measure.
package struct SensorEvidence: Hashable, Sendable {
  /// What a sensor measures, in words for a person.
  package enum Quantity: String, CaseIterable, Sendable {
    case heading = "the heading"
    case motion = "movement"
    case pressure = "the pressure of the air"
  }

  /// In the order of their declaration.
  package var quantities: [Quantity]
  /// Why there is no compass; `nil` while there is one, or while it is unknown.
  package var compassFault: ProviderStatus.Reason?

  package init(_ quantities: [Quantity], compassFault: ProviderStatus.Reason? = nil) {
    self.quantities = quantities
    self.compassFault = compassFault
  }
}
