#pragma once

/// Microteslas along one axis of the device.
typedef double CLHeadingComponentValue;
