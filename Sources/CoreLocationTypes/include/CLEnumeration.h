#pragma once

/// Begins an enumeration that may gain cases: any raw value is a value, and a switch needs
/// `@unknown default`.
#define CL_OPEN_ENUM(type, name) \
  typedef enum __attribute__((enum_extensibility(open))) name : type

/// Begins an enumeration whose cases are final.
#define CL_CLOSED_ENUM(type, name) \
  typedef enum __attribute__((enum_extensibility(closed))) name : type

/// Gives a declaration its name in Swift.
#define CL_SWIFT_NAME(name) __attribute__((swift_name(#name)))
