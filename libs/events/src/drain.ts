import { Logger } from '@nestjs/common';
import { withTimeout } from '@tidings/contracts/core/with-timeout';

/** How long a stop waits for a handler before it aborts the handler's signal, and how long afterwards. */
const STOP_GRACE_MS = 10_000;
const ABORT_GRACE_MS = 1_000;

const logger = new Logger('EventLog');

/** Waits for the current batch of subscription `name`, and aborts `abandoned` when it does not end within 10 s. */
export async function drain(name: string, working: Promise<void>, abandoned: AbortController): Promise<void> {
  if (await withTimeout(STOP_GRACE_MS, working)) return;
  logger.error(`${name}: the handler did not finish within ${STOP_GRACE_MS} ms; aborting it`);
  abandoned.abort();
  await withTimeout(ABORT_GRACE_MS, working);
}
