#pragma once
#include "CLEnumeration.h"

/// What is known of a monitored condition: `CLMonitor.Event.State`.
CL_OPEN_ENUM(unsigned long, __CLMonitoringState) {
  /// Not known.
  CLMonitoringStateUnknown CL_SWIFT_NAME(unknown) = 0,
  /// The condition holds.
  CLMonitoringStateSatisfied CL_SWIFT_NAME(satisfied) = 1,
  /// The condition does not hold.
  CLMonitoringStateUnsatisfied CL_SWIFT_NAME(unsatisfied) = 2,
  /// Nobody watches the condition.
  CLMonitoringStateUnmonitored CL_SWIFT_NAME(unmonitored) = 3,
} __CLMonitoringState;
