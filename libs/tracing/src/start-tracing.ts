import type { TracedProcess } from './sdk';
import type { TracingSettings } from './settings';
import { followWork } from './work-ids';
import { useSpans } from './spans';

/** Recorded spans of this process. */
export interface Tracing {
  /** Ends recording, and sends what was recorded. Never rejects. */
  close(): Promise<void>;
}

/**
 * Records spans from now on, and sends them; the log names the work at hand. OpenTelemetry's SDK is loaded here, so a process
 * that does not trace never loads it.
 */
export function startTracing(settings: TracingSettings, traced: TracedProcess): Tracing {
  const { openSdk } = require('./sdk') as typeof import('./sdk');
  const sdk = openSdk(settings, traced);
  followWork();
  useSpans((start) => sdk.start(start));
  return {
    close() {
      useSpans(undefined);
      return sdk.close();
    },
  };
}
