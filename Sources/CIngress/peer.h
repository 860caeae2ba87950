#ifndef CIN_PEER_H
#define CIN_PEER_H

#include "cingress.h"

/// The subject of the certificate of a session of GnuTLS, as of `cin_request_subject`.
int cin_session_subject(void *session, cin_tls_context *judge, cin_subject *subject);

#endif
