/** Interval of the check for the parent, in ms; shorter than the time in which two signals count as one. */
const POLL_MS = 200;

/**
 * Ends this process in order when the shell that npm started it with has ended: npm signals only that shell, not this process.
 * Does nothing when npm did not start the process, which may then outlive its shell.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}
