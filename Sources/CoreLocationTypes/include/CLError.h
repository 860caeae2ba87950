#pragma once
#include "CLEnumeration.h"

/// Why a service failed: the codes of `CLError` (STD-36).
CL_OPEN_ENUM(long, CLErrorCode) {
  /// No position now; the service goes on trying.
  kCLErrorLocationUnknown = 0,
  /// The app may not use the service.
  kCLErrorDenied = 1,
  /// The network is missing, or a limit of requests was met.
  kCLErrorNetwork = 2,
  /// Magnetic interference hides the heading.
  kCLErrorHeadingFailure = 3,
  /// The app may not monitor regions.
  kCLErrorRegionMonitoringDenied = 4,
  /// The region cannot be monitored.
  kCLErrorRegionMonitoringFailure = 5,
  /// Monitoring will begin later.
  kCLErrorRegionMonitoringSetupDelayed = 6,
  /// Events of the region may come late.
  kCLErrorRegionMonitoringResponseDelayed = 7,
  /// The geocoder found nothing.
  kCLErrorGeocodeFoundNoResult = 8,
  /// The geocoder found only a part of what it was asked for.
  kCLErrorGeocodeFoundPartialResult = 9,
  /// The geocoding request was canceled.
  kCLErrorGeocodeCanceled = 10,
  /// Deferred updates cannot begin.
  kCLErrorDeferredFailed = 11,
  /// Deferred updates need standard updates.
  kCLErrorDeferredNotUpdatingLocation = 12,
  /// Deferred updates need a better accuracy.
  kCLErrorDeferredAccuracyTooLow = 13,
  /// Deferred updates allow no distance filter.
  kCLErrorDeferredDistanceFiltered = 14,
  /// Deferred updates were canceled.
  kCLErrorDeferredCanceled = 15,
  /// Ranging is not available here.
  kCLErrorRangingUnavailable = 16,
  /// Ranging failed.
  kCLErrorRangingFailure = 17,
  /// The person was not asked, or did not answer yes.
  kCLErrorPromptDeclined = 18,
  /// Historical locations cannot be read.
  kCLErrorHistoricalLocationError = 19,
} CLErrorCode;
