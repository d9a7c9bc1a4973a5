import { createRequire } from 'node:module';

/** The part of kafkajs' queue of requests to one broker that is mended here. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Of `Date.now()`. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** While requests wait for a place on the connection. */
const LOOK_INTERVAL_MS = 10;

const { prototype } = createRequire(__filename)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };

/**
 * kafkajs 2.2.4 sets the next look for waiting requests to a moment in the past, which Node makes a timer of 1 ms: with nothing
 * waiting, a thousand timers a second for each connection, 3 % of a core in an idle process and a good part of a call's cost
 * when there are few. Here the next look is set when there is something to look for.
 */
prototype.scheduleCheckPendingRequests = function (): void {
  if (this.throttleCheckTimeoutId) return;
  const throttledMs = this.throttledUntil - Date.now();
  if (this.pending.length === 0 && throttledMs <= 0) return;
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    throttledMs > 0 ? throttledMs : LOOK_INTERVAL_MS,
  );
};
