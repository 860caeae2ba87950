import CoreLocation
import Foundation
import Testing

@Suite("An error")
struct ErrorTests {
  private func fail(_ code: CLError.Code) throws {
    throw CLError(code, userInfo: [NSLocalizedDescriptionKey: "no luck"])
  }

  @Test("is caught by its code")
  func caughtByCode() {
    do {
      try fail(.denied)
      Issue.record("nothing was thrown")
    } catch CLError.network {
      Issue.record("caught as another code")
    } catch CLError.denied {
    } catch {
      Issue.record("not caught by its code")
    }
  }

  @Test("survives a cast")
  func cast() throws {
    let error: any Error = CLError(.headingFailure)
    let known = try #require(error as? CLError)
    #expect(known.code == .headingFailure)
    #expect(known == CLError(.headingFailure))
    #expect(known != CLError(.denied))
  }

  @Test("can be an element of a set")
  func hash() {
    #expect(Set([CLError(.denied), CLError(.denied), CLError(.network)]).count == 2)
  }

  @Test("STD-36: bridges to NSError with its domain, code, and user information")
  func bridged() {
    let error: any Error = CLError(.denied, userInfo: [NSLocalizedDescriptionKey: "no luck"])
    let bridged = error as NSError
    #expect(bridged.domain == kCLErrorDomain)
    #expect(bridged.code == 1)
    #expect(bridged.localizedDescription == "no luck")
    #expect(error.localizedDescription == "no luck")
  }

  @Test("STD-36: has the codes of Apple's table, from 0 to 19")
  func codes() {
    let codes: [CLError.Code] = [
      .locationUnknown, .denied, .network, .headingFailure, .regionMonitoringDenied,
      .regionMonitoringFailure, .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed,
      .geocodeFoundNoResult, .geocodeFoundPartialResult, .geocodeCanceled, .deferredFailed,
      .deferredNotUpdatingLocation, .deferredAccuracyTooLow, .deferredDistanceFiltered,
      .deferredCanceled, .rangingUnavailable, .rangingFailure, .promptDeclined,
      .historicalLocationError,
    ]
    #expect(codes.map(\.rawValue) == Array(0...19))
    #expect(codes.allSatisfy { (CLError($0) as NSError).code == $0.rawValue })
  }

  @Test("matches its code after its way through NSError")
  func matchedAsNSError() {
    let error: any Error = NSError(domain: kCLErrorDomain, code: 1)
    #expect(CLError.Code.denied ~= error)
    #expect(!(CLError.Code.network ~= error))
    #expect(!(CLError.Code.denied ~= NSError(domain: "other", code: 1)))
  }

  @Test("is found again by a cast after its way through NSError")
  func castFromNSError() throws {
    let information = [NSLocalizedDescriptionKey: "no luck"]
    let source = NSError(domain: kCLErrorDomain, code: 2, userInfo: information)
    let error = try #require((source as any Error) as? CLError)
    #expect(error.code == .network)
    #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == "no luck")
    #expect(error._nsError === source)
    #expect((NSError(domain: "other", code: 2) as any Error) as? CLError == nil)
    do {
      throw source
    } catch let error as CLError {
      #expect(error == CLError(.network, userInfo: information))
    }
  }

  @Test("stands for an NSError, and prints it")
  func standsForAnother() {
    let error = CLError(_nsError: NSError(domain: kCLErrorDomain, code: 1))
    #expect(error == CLError(.denied))
    #expect("\(error)".hasPrefix("CLError(_nsError: Error Domain=kCLErrorDomain Code=1 "))
  }

  @Test("carries a region to monitor instead")
  func alternateRegion() {
    let region = CLCircularRegion(
      center: CLLocationCoordinate2D(), radius: 200, identifier: "larger")
    let error = CLError(
      .regionMonitoringResponseDelayed, userInfo: [kCLErrorUserInfoAlternateRegionKey: region])
    #expect(error.alternateRegion === region)
    #expect(CLError(.denied).alternateRegion == nil)
  }

  @Test("keeps a code that is not yet known")
  func unknownCode() {
    let status = CLAuthorizationStatus(rawValue: 100)
    #expect(status?.rawValue == 100)
    #expect(CLError.Code(rawValue: 77)?.rawValue == 77)
  }

  @Test("of location pushes matches its code")
  func pushes() {
    let error: any Error = CLLocationPushServiceError(.missingEntitlement)
    #expect(CLLocationPushServiceError.Code.missingEntitlement ~= error)
    #expect((error as? CLLocationPushServiceError)?.errorCode == 3)
    #expect((error as NSError).domain == CLLocationPushServiceErrorDomain)
  }
}
