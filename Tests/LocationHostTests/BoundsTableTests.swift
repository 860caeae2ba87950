import LocationDaemon
import LocationEngine
import LocationFleet
import LocationGeocoding
import LocationHost
import LocationLink
import LocationModel
import LocationProviders
import LocationRadio
import TestSupport
import Testing

@Suite("The table of bounds in docs/formats/link.md")
struct BoundsTableTests {
  private static let room = ClientRoom.Limits()
  private static let session = LinkSession.Limits()
  private static let lists = PropertyList.Limits()

  /// Every bound, by its name in the table.
  static let bounds: [String: Int] = [
    "clients": room.clients, "clients-per-user": room.clientsPerUser,
    "clients-per-app": room.clientsPerApp, "places kept": room.kept,
    "message bytes": session.message, "unread bytes": SocketServer.Limits().unread,
    "subscribers": session.subscribers, "subscribers per app": room.subscribersPerApp,
    "subscribers per user": room.subscribersPerUser, "early deliveries": session.early,
    "apps per user": Bounds.appsPerUser, "identifiers per user": Bounds.identifiersPerUser,
    "condition identifier bytes": Bounds.identifierBytes, "monitors": Bounds.monitors,
    "monitor name bytes": Bounds.monitorNameBytes,
    "conditions per user": Bounds.conditionsPerUser, "conditions": Bounds.conditions,
    "positions of a polygon": PolygonOutline.mostPositions,
    "positions of all polygons": SocketServer.mostPositions,
    "unwatched conditions": Bounds.unwatchedConditions, "unwatched bytes": Bounds.unwatchedBytes,
    "sessions": Bounds.sessions, "streams": Bounds.streams, "purpose bytes": Bounds.purposeBytes,
    "purposes": Bounds.purposes, "accuracy requests": Bounds.accuracyRequests,
    "ranging": Bounds.ranging, "adverts": Bounds.adverts, "waiting": Bounds.waiting,
    "waiting live": Bounds.waitingLive,
    "waiting fixes": Bounds.waitingFixes, "pending events": Bounds.pendingEvents,
    "name bytes": Bounds.nameBytes, "text bytes": Bounds.textBytes, "list bytes": lists.bytes,
    "list depth": lists.depth, "list values": lists.values, "list text": lists.text,
    "lists remembered": ManifestReader.kept, "packages remembered": InstalledPackages.kept,
    "package list bytes": InstalledPackages.longest, "package lists bytes": InstalledPackages.most,
    "signatures remembered": SignedPrograms.kept,
    "looks at once": ArrivalCoordinator.atOnce, "looks kept": ArrivalCoordinator.kept,
    "looks per user": ArrivalCoordinator.perUser,
    "looks per program": ArrivalCoordinator.perProgram,
    "accounts per user": RateLimiter.keptPrograms, "accounts": RateLimiter.keptUsers,
    "served processes": ServedProcesses.most, "looks at served": ServedProcesses.looks,
    "parents": ProgramAncestry.longest,
    "unread bytes per user": room.unreadPerUser, "unread bytes of all": room.unread,
    "terminal processes": PeerTerminal.mostProcesses,
    "terminal descriptors": Int(PeerTerminal.mostDescriptors),
    "registered programs": Configuration.mostPrograms,
    "programs of agents": AgentTurns<Int>.perUser,
    "programs of all agents": AgentTurns<Int>.atOnce,
    "waiting questions": AgentTurns<Int>.mostWaiting,
    "app programs per user": TrustState.mostProgramsOfUser,
    "app programs": TrustState.mostPrograms,
    "held deliveries": HeldOutputs.most.ofClient,
    "held deliveries in all": HeldOutputs.most.ofAll,
    "log lines": Int(LogQuota.perProgram.atOnce),
    "log lines a minute": Int(LogQuota.perProgram.perMinute),
    "log lines per user": Int(LogQuota.perUser.atOnce),
    "log lines per user a minute": Int(LogQuota.perUser.perMinute),
    "log accounts": LogQuota.kept, "log records": DaemonJournal.kept,
    "access records": AccessLog.most, "event records": EventLog.most,
    "ranged beacons": BeaconRanger.capacity, "known adapters": AdapterLevels.capacity,
    "map places": RadioLayer.Grain.accessPoints.mostCells,
    "map cell places": RadioLayer.Grain.cells.mostCells,
    "map transmitters": RadioLayer.Grain.accessPoints.mostStations,
    "map beacon places": RadioLayer.Grain.beacons.mostCells,
    "map beacons": RadioLayer.Grain.beacons.mostStations,
    "imported transmitters": PlacedStations.most, "boxes of a scan": RadioMap.mostBoxes,
    "cells of an area": PlacedStations.mostOfArea,
    "imported item bytes": RadioImport.longestLine,
    "bus calls": BusPeers.mostPending,
    "login sessions": LoginSessions.most, "launch files": AppLauncher.mostFiles,
    "apps of a key": Configuration.mostApps,
    "logged refusals": TrustState.mostLogged, "log text": DaemonJournal.longest,
    "damaged conditions": Conditions.mostDamaged, "nearby devices": BlueZSurvey.mostDevices,
    "found beacons": BlueZScanner.mostMonitored, "receivers": GpsdReceivers.mostReceivers,
    "gpsd line bytes": GpsdClient.longestLine, "windows": WindowBounds.windows,
    "waiting addresses": WebCoordinator.mostWaiting, "addresses": WebCoordinator.memoryLimit,
    "GeoClue connections": GeoClueService.mostCallers,
    "GeoClue connections per user": GeoClueService.mostCallersPerUser,
    "GeoClue calls": GeoClueService.mostWaiting,
    "GeoClue starts": GeoClueService.mostStarts,
    "GeoClue starts per user": GeoClueService.mostStartsPerUser,
    "GeoClue calls in all": HeldCalls<Int>.most,
    "GeoClue agents per user": GeoClueService.mostAgentsPerUser,
    "GeoClue agents": GeoClueService.mostAgents,
    "GeoClue clients per connection": GeoClueService.mostClients,
    "GeoClue clients per user": GeoClueService.mostClientsPerUser,
    "GeoClue clients": GeoClueService.mostClientsInAll,
    "gpsd-port clients": GpsdServer.mostClients,
    "gpsd-port request bytes": GpsdServer.longestRequest,
    "gpsd-port requests": GpsdServer.mostRequests,
    "gpsd-port unread bytes": GpsdServer.mostUnread,
    "uplink fixes": Uplink.mostFixes, "uplink bytes": Uplink.mostBytes,
    "uplink hours": Int(Uplink.longest.inSeconds) / 3600,
    "uplink fixes of a request": Uplink.mostInRequest,
  ]

  @Test("border 12: has a row with value, reason, and consequence for each bound, and no other")
  func table() throws {
    #expect(try BoundsTable.values(of: "bound") == Self.bounds)
  }
}
