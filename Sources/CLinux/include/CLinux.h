#pragma once
// The few Linux calls that the Glibc module hides from Swift.

/// Opens a pseudo terminal pair in raw mode. Returns 0, or an errno.
int linux_open_pty(int *controller, char *path, unsigned long length);

/// Watches a directory for files written or moved into it. Returns a descriptor, or -errno.
int linux_watch_directory(const char *path);

/// An instance of inotify for many watches. Returns a descriptor, or -errno.
int linux_open_watches(void);

/// Adds a watch for changes of a file's contents. Returns its number, or -errno.
int linux_add_watch(int descriptor, const char *path);

/// Adds a watch for files of a folder that are written, come, or go. Returns its number, or -errno.
int linux_add_folder_watch(int descriptor, const char *path);

void linux_remove_watch(int descriptor, int watch);

/// Reads which watches have something to say, 64 at most; -1 stands for those that were lost.
/// Returns how many there are.
int linux_read_watches(int descriptor, int *watches);

/// Reads away what a watch has to say. Returns how many events were about this name.
int linux_drain_watch(int descriptor, const char *name);

/// The credentials of the process at the other end of a Unix socket. Returns 0, or an errno.
int linux_peer_credentials(int descriptor, int *pid, unsigned *uid, unsigned *gid);

/// A descriptor of the process at the other end of a Unix socket, from the socket itself where the
/// kernel can, else from its number. Returns the descriptor, or -errno.
int linux_peer_process(int descriptor, int pid);

/// Whether a file, folder, or link lies in a file system that a program provides, or cannot be looked
/// at. Such a file system may make the caller wait.
int linux_is_fuse(const char *path);

/// The file that a process runs, by the device and inode that the kernel holds: no file system is
/// asked, so none can make the caller wait. Returns 0, or an errno.
int linux_program_file(int pid, unsigned long long *device, unsigned long long *inode);

/// The user who made the user namespace of a process, if that is another one than this process's: of
/// namespaces in namespaces the user of the outermost. Leaves `user` alone if it is the same one, or
/// cannot be seen.
void linux_namespace_maker(int pid, unsigned *user);

/// A descriptor that stands for a file and opens nothing. Returns it, or -1.
int linux_find(const char *path);

struct dirent;

/// The name of an entry of a folder, which ends with a zero. An entry is only as long as its name: a copy
/// of the whole structure reads past it.
const char *linux_name(const struct dirent *entry);

/// Whether the process of a descriptor has not ended.
int linux_is_running(int process);

/// Takes a connection: without waiting, closed on exec. Returns the descriptor, or -errno.
int linux_accept(int descriptor);

/// The user whose program has taken the TCP socket with this own end that is connected with that other end,
/// both on this machine, each a `sockaddr_in` or both a `sockaddr_in6`; asked of the kernel (`sock_diag`) by
/// both ends. The tables in /proc are no substitute: a connection can be missing there while others come and
/// go. Returns the user, or -1 where there is no such socket, or no program has accepted it yet, whose user is
/// then reported as 0.
long long linux_tcp_user(const void *own, const void *other);

/// Has the kernel name the sender of everything received. Returns 0, or an errno.
int linux_name_senders(int descriptor);

/// Reads what one process sent, and which one. Returns the count, 0 at the end, or -errno.
long linux_receive(int descriptor, void *buffer, unsigned long length, int *sender);

/// Nanoseconds since boot, suspended time included.
long long linux_uptime_nanoseconds(void);

/// Nanoseconds since 1970 by the system's clock.
long long linux_unix_nanoseconds(void);

/// Starts a program with default signals and no other descriptor than the standard ones. Words and
/// environment (ours when NULL) hold strings ended by NUL, and end with one more NUL. With `ends`
/// it gets pipes, whose other ends are returned: to its input, from its output; without, nothing to
/// read. It leads a session of its own. Returns 0, or an errno.
int linux_spawn(char *words, char *environment, int *ends, int *pid);

/// Keeps SIGHUP, SIGTERM, and SIGINT from this thread and those that it starts, until they are awaited.
void linux_hold_signals(void);

/// Waits for one of these signals, and returns its number. Others that come stay where they are, also
/// across an exec.
int linux_await_signal(void);

/// Writes everything, and raises no signal when nobody reads.
void linux_write_all(int descriptor, const void *bytes, unsigned long length);

/// Waits until the child has ended, and leaves it to be reaped.
void linux_await_end(int pid);

/// Reaps a child that has ended. Returns its exit status, or 128 and the number of its signal.
int linux_reap(int pid);

/// A descriptor of a process, readable when that has ended. Returns the descriptor, or -errno.
int linux_open_process(int pid);

/// The number of bytes that the other end of a local connection has not read; 0 if that is unknown.
int linux_unread(int descriptor);

/// Sends a signal to the process of a descriptor of `linux_open_process`. Returns an errno, or 0.
int linux_signal_process(int process, int signal);

/// A timer of the uptime that `linux_uptime_nanoseconds` returns. Returns a descriptor, or -errno.
int linux_open_uptime_timer(void);

/// Has a timer fire once at an uptime greater than 0; at once when that has passed.
void linux_arm_uptime_timer(int descriptor, long long nanoseconds);

/// Keeps the memory of this process out of core dumps, and from other processes of its user: they
/// can neither trace it nor read its memory. Lasts until the next exec. Returns 0, or an errno.
int linux_forbid_core_dumps(void);

/// Empties the ambient capabilities of this thread, so that a program it starts has none; its own
/// stay. Call it before there is a second thread: each has a set of its own, and a new one takes
/// over that of its maker. Returns 0, or an errno.
int linux_keep_capabilities_from_children(void);

/// Makes the capabilities of this thread that are permitted and inheritable ambient again: the
/// program that it execs next has them. Returns 0, or an errno.
int linux_pass_capabilities_on(void);

/// The effective user of a process, and the process that traces it, 0 for none. Returns 0, or an
/// errno.
int linux_process_status(int pid, unsigned *user, int *tracer);

/// What a process can execute: a line for each mapping, of `=` for code as it is in its file or `!`
/// for code that was changed or can be written, and the path, which is empty for code of no file.
/// Returns 0, or -errno.
int linux_loaded_code(int pid, char *lines, unsigned long room);

/// Whether a process holds the controlling side of a pseudo terminal: 1, 0, or -errno. Each
/// descriptor that is looked at takes one from `budget`; -EMFILE when that is used up.
int linux_holds_terminal(int pid, int terminal, int *budget);
