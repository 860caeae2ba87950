public import CoreLocation

extension INTULocationManager {
  /// Returns one location of an accuracy, or the best there is when the timeout ends.
  ///
  /// Canceling the task cancels the request.
  ///
  /// - Parameters:
  ///   - accuracy: How accurate, and how recent, the location has to be.
  ///   - timeout: The longest time to wait; `nil` for no limit.
  ///   - delayUntilAuthorized: Whether the timeout starts when the person grants permission, if
  ///     they have not yet answered.
  ///   - activityType: What the person does meanwhile.
  /// - Returns: The location, and its accuracy level.
  /// - Throws: `CancellationError` when the task is canceled, else ``INTULocationError`` when there
  ///   is no location to return.
  public func location(
    accuracy: INTULocationAccuracy, timeout: Duration?, delayUntilAuthorized: Bool = false,
    activityType: CLActivityType = .other
  ) async throws -> INTUGradedLocation {
    let timeout = LocationRequest.Timeout(
      timeout: timeout, delayUntilAuthorized: delayUntilAuthorized)
    let mode = LocationRequest.Mode.once(checked(accuracy), timeout)
    let ticket = Ticket()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiting in
        let id = request(mode, activityType, .task(waiting))
        if ticket.fill(id) { cancelLocationRequest(id) }
      }
    } onCancel: {
      if let id = ticket.tear() { cancelLocationRequest(id) }
    }
  }

  /// Subscribes to every location, whatever its accuracy, until the loop over it ends or its task
  /// is canceled.
  ///
  /// - Parameters:
  ///   - accuracy: How accurate locations should be, which decides how much power the hardware
  ///     takes.
  ///   - activityType: What the person does meanwhile.
  /// - Returns: The sequence. It ends by itself when the app may no longer know the location; its
  ///   last element gives the reason. An error does not end the sequence. Of elements not read yet,
  ///   the newest 64 are kept.
  public func locationUpdates(
    accuracy: INTULocationAccuracy = .room, activityType: CLActivityType = .other
  ) -> AsyncStream<INTULocationUpdate> {
    updates(.updates(checked(accuracy)), activityType)
  }

  /// Subscribes to moves of about 500 meters, until the loop over it ends or its task is canceled;
  /// while other requests are live, the sequence has every location.
  ///
  /// - Returns: The sequence. It ends by itself when the app may no longer know the location; its
  ///   last element gives the reason. An error does not end the sequence. Of elements not read yet,
  ///   the newest 64 are kept.
  public func significantLocationChanges() -> AsyncStream<INTULocationUpdate> {
    updates(.significantChanges, .other)
  }

  /// Subscribes to headings, until the loop over it ends or its task is canceled.
  ///
  /// - Returns: The sequence. On a device without compass it has one element, with the status
  ///   `unavailable`. Of elements not read yet, the newest 64 are kept.
  public func headingUpdates() -> AsyncStream<INTUHeadingUpdate> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Self.unreadElements)) { headings in
      let id = requestHeadings(.headings(headings))
      headings.onTermination = { [self] _ in cancelHeadingRequest(id) }
    }
  }

  private func updates(
    _ mode: LocationRequest.Mode, _ activityType: CLActivityType
  ) -> AsyncStream<INTULocationUpdate> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Self.unreadElements)) { updates in
      let id = request(mode, activityType, .updates(updates))
      updates.onTermination = { [self] _ in cancelLocationRequest(id) }
    }
  }

  /// The number of unread elements that a sequence keeps. Chosen: as many as live updates keep.
  private static let unreadElements = 64
}
