import Synchronization

/// Takes one question at a time and calls back on the main thread (GEO-1, GEO-2).
final class GeocodingDesk: Sendable {
  private let running = Mutex<Task<Void, Never>?>(nil)

  var isBusy: Bool { running.withLock { $0 != nil } }

  /// Asks the service; a second question while one is running is canceled at once (GEO-3).
  func submit(_ question: GeocodingQuestion, _ completion: @escaping CLGeocodeCompletionHandler) {
    // Given away by the caller, and called once, on the main thread.
    nonisolated(unsafe) let completion = completion
    running.withLock { task in
      guard task == nil else {
        Task { @MainActor in completion(nil, CLError(.geocodeCanceled)) }
        return
      }
      task = Task { @MainActor in
        let answer = await Self.answer(question)
        running.withLock { $0 = nil }
        switch answer {
        case .success(let places): completion(places, nil)
        case .failure(let error): completion(nil, error)
        }
      }
    }
  }

  /// Ends the running question with `geocodeCanceled` (GEO-4).
  func cancel() {
    running.withLock { $0?.cancel() }
  }

  private static func answer(
    _ question: GeocodingQuestion
  ) async -> Result<[CLPlacemark], any Error> {
    do {
      let places = try await currentService.places(for: question)
      return Task.isCancelled ? .failure(CLError(.geocodeCanceled)) : .success(places)
    } catch {
      return .failure(Task.isCancelled ? CLError(.geocodeCanceled) : error)
    }
  }
}
