#include "CoreLocationTypes.h"
