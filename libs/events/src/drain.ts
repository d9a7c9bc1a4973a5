import { Logger } from '@nestjs/common';
import { withTimeout } from './with-timeout';

/** How long a handler may go on after `stop` before its signal tells it to leave, and then before nobody waits for it any more. */
const STOP_GRACE_MS = 10_000;
const LEAVE_GRACE_MS = 1_000;

const logger = new Logger('EventLog');

/** Waits for the batch in hand of the subscription `name`; one that does not end is told so by `abandoned`. */
export async function drain(name: string, working: Promise<void>, abandoned: AbortController): Promise<void> {
  if (await withTimeout(STOP_GRACE_MS, working)) return;
  logger.error(`${name}: the handler did not finish within ${STOP_GRACE_MS} ms and is told to leave`);
  abandoned.abort();
  await withTimeout(LEAVE_GRACE_MS, working);
}
