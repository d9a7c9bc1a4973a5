/** How often it is looked whether the parent is still there, in ms: within the time in which two signals count as one. */
const LOOK_MS = 200;

/**
 * Ends this process in order when whoever npm started it by is gone: npm passes a signal on to the shell in between, which dies
 * of it alone. Does nothing where npm did not start it: a process may well outlive its shell.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
