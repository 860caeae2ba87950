#ifndef CPOSTGRES_H
#define CPOSTGRES_H

/// A connection to PostgreSQL. The library, libpq.so.5, is loaded by the first one.
typedef struct cpg_connection cpg_connection;

typedef struct {
  /// 0, or -1 where libpq is not installed, or 1.
  int fault;
  /// The server's SQLSTATE; empty where it said nothing.
  char state[6];
  /// One line, without details that may name values.
  char message[256];
} cpg_answer;

/// Connects as the words `key=value` say, and waits for it, at most for a time; NULL with the reason.
cpg_connection *cpg_open(const char *words, int milliseconds, cpg_answer *answer);

/// Runs a statement with one parameter as text, or with none for NULL, in a transaction of its own, and waits for the
/// server, at most for a time. After a fault without SQLSTATE nobody knows whether it was done, and the
/// connection is to be closed.
cpg_answer cpg_run(
    cpg_connection *connection, const char *statement, const char *parameter, int milliseconds);

void cpg_close(cpg_connection *connection);

#endif
