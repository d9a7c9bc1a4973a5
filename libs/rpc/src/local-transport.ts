import type { CustomTransportStrategy } from '@nestjs/microservices';
import { unavailable } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { ReplyRecord, RequestRecord } from './envelope';
import type { OperationClient } from './operation-client';
import { OperationServer } from './operation-server';
import { callTimedOut } from './call-timed-out';
import { type OutgoingRequest, RecordClient } from './record-client';
import type { RpcTransport } from './transport';

/** Resolves with `undefined` when the deadline had passed before the service started. */
type Answer = (record: RequestRecord) => Promise<ReplyRecord | undefined>;

/** How long `close` waits for running handlers, and its polling interval, in ms. */
const DRAIN_MS_MAX = 10_000;
const DRAIN_POLL_INTERVAL_MS = 10;

class LocalServer extends OperationServer {
  constructor(
    private readonly services: Map<ServiceName, Answer>,
    private readonly service: ServiceName,
  ) {
    super();
  }

  override listen(callback: () => void): void {
    if (this.services.has(this.service)) throw new Error(`Service ${this.service} is already listening in this process`);
    this.services.set(this.service, (record) => this.answer(record, performance.now()));
    callback();
  }

  override async close(): Promise<void> {
    this.services.delete(this.service);
    const end = performance.now() + DRAIN_MS_MAX;
    while (!this.idle && performance.now() < end) await new Promise((resume) => setTimeout(resume, DRAIN_POLL_INTERVAL_MS));
  }
}

/** Operations inside one process, with the envelope, serialization and errors of the Kafka transport. */
export class LocalTransport implements RpcTransport {
  private readonly services = new Map<ServiceName, Answer>();

  server(service: ServiceName): CustomTransportStrategy {
    return new LocalServer(this.services, service);
  }

  client(): OperationClient {
    return new RecordClient((request) => this.exchange(request));
  }

  ready(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async close(): Promise<void> {}

  /** The reply of a service in this process. */
  exchange({ service, record, deadlineMs, repeatable }: OutgoingRequest): Promise<ReplyRecord> {
    const answer = this.services.get(service);
    if (!answer) return Promise.reject(unavailable(`The ${service} service is not running`));
    return new Promise((resolve, reject) => {
      const late = (): void => reject(callTimedOut(service, deadlineMs, repeatable));
      const timer = setTimeout(late, deadlineMs);
      answer(record)
        .then((reply) => (reply === undefined ? late() : resolve(reply)), reject)
        .finally(() => clearTimeout(timer));
    });
  }
}
