// Clients of GeoClue, each on a connection of its own: prints "ready" when all are started, then for each
// LocationUpdated the number of the client and the time on the monotonic clock, in nanoseconds.
//
//   stopwatch CLIENTS started|idle
//
// cc -O2 stopwatch.c -lsystemd
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define NAME "org.freedesktop.GeoClue2"
#define CLIENT NAME ".Client"
enum { MOST = 64 };

static int updated(sd_bus_message *message, void *number, sd_bus_error *error) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%d %lld\n", (int)(long)number, now.tv_sec * 1000000000LL + now.tv_nsec);
  fflush(stdout);
  return 0;
}

static void must(int result, const char *step) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", step, strerror(-result));
  exit(1);
}

int main(int count, char **words) {
  int clients = count > 1 ? atoi(words[1]) : 1;
  int starts = count > 2 && strcmp(words[2], "started") == 0;
  if (clients < 1 || clients > MOST) return 2;
  static sd_bus *buses[MOST];
  static struct pollfd polls[MOST];
  for (int number = 0; number < clients; number++) {
    sd_bus *bus = NULL;
    sd_bus_message *answer = NULL;
    const char *path;
    must(sd_bus_open_system(&bus), "bus");
    must(sd_bus_call_method(bus, NAME, "/org/freedesktop/GeoClue2/Manager", NAME ".Manager", "GetClient", NULL,
                            &answer, ""), "GetClient");
    must(sd_bus_message_read(answer, "o", &path), "path");
    must(sd_bus_match_signal(bus, NULL, NAME, path, CLIENT, "LocationUpdated", updated, (void *)(long)number),
         "match");
    must(sd_bus_set_property(bus, NAME, path, CLIENT, "DesktopId", NULL, "s", "stopwatch"), "DesktopId");
    must(sd_bus_set_property(bus, NAME, path, CLIENT, "RequestedAccuracyLevel", NULL, "u", 8), "level");
    if (starts) must(sd_bus_call_method(bus, NAME, path, CLIENT, "Start", NULL, NULL, ""), "Start");
    buses[number] = bus;
    polls[number] = (struct pollfd){.fd = sd_bus_get_fd(bus), .events = POLLIN};
  }
  puts("ready");
  fflush(stdout);
  for (;;) {
    for (int number = 0; number < clients; number++)
      for (int more = 1; more > 0;) must(more = sd_bus_process(buses[number], NULL), "process");
    poll(polls, clients, -1);
  }
}
