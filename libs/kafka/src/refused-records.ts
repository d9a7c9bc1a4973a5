import { Logger } from '@nestjs/common';

const LOG_INTERVAL_MS = 10_000;

const logger = new Logger('Kafka');

/** Counts records that none of our processes wrote, and warns at most every 10 s. */
export class RefusedRecords<Reason extends string> {
  private loggedAt = -Infinity;

  /** @param onRefused called for every record, for metrics. */
  constructor(private readonly onRefused: (reason: Reason, topic: string) => void) {}

  /** Notes a record of `topic`, named with its prefix. */
  note(topic: string, reason: Reason): void {
    this.onRefused(reason, topic);
    const now = performance.now();
    if (now - this.loggedAt < LOG_INTERVAL_MS) return;
    this.loggedAt = now;
    logger.warn(`A record of ${topic} was refused: ${reason}. Processes with the same TIDINGS_RPC_SECRET write accepted ones`);
  }
}
