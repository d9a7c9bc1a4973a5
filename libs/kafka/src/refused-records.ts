import { Logger } from '@nestjs/common';
import type { SignatureFault } from './record-signer';

const LOG_INTERVAL_MS = 10_000;

const logger = new Logger('Kafka');

/** Why a record is refused. */
export type Refusal = SignatureFault | 'outside the time window' | 'malformed' | 'not a caller';

const RESTRICT = 'let the processes of Tidings alone write to the topic (docs/kafka-access.md)';

/** What is so, and what to do. */
const EXPLANATIONS: Readonly<Record<Refusal, string>> = {
  unsigned: `It has no signature. In the upgrade from a version that did not sign, set TIDINGS_RPC_UNSIGNED=accept, otherwise ${RESTRICT}`,
  'wrong mac': `Its signature does not fit it, so another client wrote or changed it: ${RESTRICT}`,
  'unknown key': 'The secret that signed it is not in TIDINGS_RPC_SECRET: give all processes the same secrets',
  'outside the time window': `It was sent more than a minute ago, or written again later: if this continues, ${RESTRICT}`,
  malformed: `It is no call or reply of Tidings: ${RESTRICT}`,
  'not a caller': `Its caller is no role that calls this service: ${RESTRICT}`,
};

/** Counts records that none of our processes wrote, and warns at most every 10 s. */
export class RefusedRecords<Reason extends Refusal> {
  private loggedAt = -Infinity;

  /** @param onRefused called for every record, for metrics. */
  constructor(private readonly onRefused: (reason: Reason, topic: string) => void) {}

  /** Notes a record of `topic`, named with its prefix. @param where its partition and offset, where they help to find it. */
  note(topic: string, reason: Reason, where?: string): void {
    this.onRefused(reason, topic);
    const now = performance.now();
    if (now - this.loggedAt < LOG_INTERVAL_MS) return;
    this.loggedAt = now;
    logger.warn(`A record of ${topic}${where ? `, ${where},` : ''} was refused: ${reason}. ${EXPLANATIONS[reason]}`);
  }
}
