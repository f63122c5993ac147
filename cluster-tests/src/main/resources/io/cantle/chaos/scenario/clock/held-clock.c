/*
 * Holds back the monotonic clock of the process it is preloaded into: by as many nanoseconds as
 * stand in the file that CANTLE_HELD_CLOCK names, eight bytes in the machine's order. Whoever writes
 * there while the process is stopped makes it a machine that was suspended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NANOS 1000000000LL
/* Monotonic times are below this many seconds, times of day above. */
#define MOST_UPTIME 1000000000LL

static volatile int64_t *held;

static int64_t held_nanos(void) { return held == NULL ? 0 : *held; }

static struct timespec moved(const struct timespec *from, int64_t nanos) {
  int64_t all = from->tv_sec * NANOS + from->tv_nsec + nanos;
  struct timespec to = {.tv_sec = all / NANOS, .tv_nsec = all % NANOS};
  return to;
}

__attribute__((constructor)) static void open_file(void) {
  const char *name = getenv("CANTLE_HELD_CLOCK");
  int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    held = mapped == MAP_FAILED ? NULL : mapped;
    close(file);
  }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  }
  int failed = real(clock, time);
  if (failed == 0
      && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW
          || clock == CLOCK_MONOTONIC_COARSE)) {
    *time = moved(time, -held_nanos());
  }
  return failed;
}

/* Whoever waits until a time of the held clock waits that much longer by the kernel's. */
int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (real == NULL) {
    void *found = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))(
        found != NULL ? found : dlsym(RTLD_NEXT, "pthread_cond_timedwait"));
  }
  struct timespec kernels = moved(until, until->tv_sec < MOST_UPTIME ? held_nanos() : 0);
  return real(condition, mutex, &kernels);
}
