#include "CLError.h"
#include "CLLocation.h"
#include "CLLocationManager.h"
#include "CLLocationPushServiceError.h"
#include "CLMonitor.h"
#include "CLRegion.h"

// In ArchiveNames.swift; absent when only the types are linked.
__attribute__((weak)) void CoreLocationRegisterArchiveNames(void);

// An archive may be read before the program makes its first location.
__attribute__((constructor)) static void registerArchiveNames(void) {
  if (CoreLocationRegisterArchiveNames) CoreLocationRegisterArchiveNames();
}
