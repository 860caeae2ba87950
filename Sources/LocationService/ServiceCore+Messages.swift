package import LocationEngine
package import LocationModel
package import LocationProviders

extension ServiceCore {
  package enum Input: MachineInput {
    case channel(ChannelID, ChannelEvent)
    case engine(LocationEngine.Input)
    /// The client could read the last position when it connected.
    case delivered(ClientID)
    /// What the owner does with the map of transmitters.
    case map(MapRequest)
    case wake
  }

  package enum Output: Sendable {
    case open(ChannelID, Channel)
    case close(ChannelID)
    case send(ChannelID, [UInt8])
    case bus(ChannelID, BusAction)
    case read(ChannelID, SensorQuery)
    case engine(LocationEngine.Output)
  }
}
