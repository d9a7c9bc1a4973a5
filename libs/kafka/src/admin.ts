import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, Kafka, KafkaJSProtocolError } from 'kafkajs';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { withTimeout } from '@tidings/contracts/core/with-timeout';

/** Time limit of a request, kafkajs' own retries included. */
const ANSWER_MS_MAX = 10_000;
const DISCONNECT_MS_MAX = 3_000;
const RETRY_DELAY_MS_MAX = 500;

const logger = new Logger('Kafka');

/** Admin requests to the cluster over one connection, opened on demand and discarded when a request fails. */
export class KafkaAdmin {
  private current?: Promise<Admin>;

  constructor(private readonly kafka: Kafka) {}

  /** Runs a request; retries it for 10 s while some broker lacks a topic, leader or coordinator. @throws ServiceError `unavailable` */
  async request<Answer>(send: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    const until = performance.now() + ANSWER_MS_MAX;
    for (let attempt = 1; ; attempt++) {
      const connection = (this.current ??= this.connect());
      try {
        const answer = await withTimeout(until - performance.now(), connection.then(send));
        if (!answer) throw new Error(`no answer within ${ANSWER_MS_MAX / 1000} s`);
        return answer.value;
      } catch (error) {
        // A new connection loads the leaders anew.
        if (this.current === connection) void this.close();
        const pauseMs = retryDelayMs(attempt, RETRY_DELAY_MS_MAX);
        if (!isStaleMetadata(error) || performance.now() + pauseMs >= until) {
          throw unavailable(`Kafka does not answer: ${reasonOf(error)}`, error);
        }
        await delay(pauseMs);
      }
    }
  }

  private async connect() {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      void admin.disconnect().catch(() => undefined);
      throw error;
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (!current) return;
    const ended = current.then((admin) => admin.disconnect());
    await withTimeout(DISCONNECT_MS_MAX, ended).catch((error: unknown) =>
      logger.debug(`Closing an admin connection failed: ${reasonOf(error)}`),
    );
  }
}

/** A topic is new, or its leader or the group's coordinator changes, and some broker does not know yet. */
function isStaleMetadata(error: unknown) {
  const { name, retriable } = error as KafkaJSProtocolError;
  return name === 'KafkaJSProtocolError' && retriable;
}
