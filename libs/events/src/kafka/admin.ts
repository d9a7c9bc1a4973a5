import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, Kafka, KafkaJSProtocolError } from 'kafkajs';
import { retryDelayMs } from '../retry-delay';
import { withTimeout } from '../with-timeout';

/** Over kafkajs' own retries. */
const ANSWER_MS_MAX = 10_000;
const LEAVE_MS_MAX = 3_000;
const RETRY_DELAY_MS_MAX = 500;

const logger = new Logger('Kafka');

/** Questions to the cluster over one connection, made when it is needed and thrown away when a question fails. */
export class KafkaAdmin {
  private current?: Promise<Admin>;

  constructor(private readonly kafka: Kafka) {}

  /** @throws ServiceError `unavailable`. */
  async ask<Answer>(question: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    const until = performance.now() + ANSWER_MS_MAX;
    for (let attempt = 1; ; attempt++) {
      const asked = (this.current ??= this.connect());
      try {
        const answer = await withTimeout(until - performance.now(), asked.then(question));
        if (!answer) throw new Error(`no answer within ${ANSWER_MS_MAX / 1000} s`);
        return answer.value;
      } catch (error) {
        // A new connection comes with new knowledge of who leads what.
        if (this.current === asked) void this.forget();
        const pauseMs = retryDelayMs(attempt, RETRY_DELAY_MS_MAX);
        if (!isNotKnownYet(error) || performance.now() + pauseMs >= until) {
          throw unavailable(`Kafka does not answer: ${reasonOf(error)}`, error);
        }
        await delay(pauseMs);
      }
    }
  }

  close(): Promise<void> {
    return this.forget();
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      void admin.disconnect().catch(() => undefined);
      throw error;
    }
  }

  private async forget(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (!current) return;
    const ended = current.then((admin) => admin.disconnect());
    await withTimeout(LEAVE_MS_MAX, ended).catch((error: unknown) => logger.debug(`An admin connection ended badly: ${reasonOf(error)}`));
  }
}

/** A topic is new, or its leader or the group's coordinator changes: the brokers do not all know yet. */
function isNotKnownYet(error: unknown): boolean {
  const { name, retriable } = error as KafkaJSProtocolError;
  return name === 'KafkaJSProtocolError' && retriable;
}
