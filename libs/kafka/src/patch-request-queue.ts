/** The part of kafkajs' request queue of one broker that is patched here. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Of `Date.now()`. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** Between two checks while requests wait for the connection. */
const CHECK_INTERVAL_MS = 10;

const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };

/**
 * kafkajs 2.2.4 schedules the next check for waiting requests in the past, which Node turns into a timer of 1 ms: a thousand
 * timers a second for each idle connection, 3 % of a core, and a large part of a call's cost while calls are few. Here the next
 * check is scheduled only while requests wait.
 */
prototype.scheduleCheckPendingRequests = function () {
  if (this.throttleCheckTimeoutId) return;
  const throttledMs = this.throttledUntil - Date.now();
  if (this.pending.length === 0 && throttledMs <= 0) return;
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    throttledMs > 0 ? throttledMs : CHECK_INTERVAL_MS,
  );
};
