#include <sodium/core.h>
#include <sodium/crypto_generichash.h>
