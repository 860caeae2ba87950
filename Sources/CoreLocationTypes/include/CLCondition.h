#pragma once

/// Conditions can be monitored on this platform.
#define CL_TARGET_SUPPORTS_CONDITIONS 1
