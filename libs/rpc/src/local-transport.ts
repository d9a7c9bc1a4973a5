import type { CustomTransportStrategy } from '@nestjs/microservices';
import { unavailable } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import type { ReplyRecord, RequestRecord } from './envelope';
import { OperationServer } from './operation-server';
import { callTimedOut, type OutgoingRequest, OperationClient } from './operation-client';
import { NO_OBSERVER, type RpcObserver } from './rpc-observer';
import type { RpcTransport } from './transport';

/** Resolves with `undefined` when the deadline had passed before the service started. */
type Answer = (record: RequestRecord) => Promise<ReplyRecord | undefined>;

/** How long `close` waits for running handlers, in ms. */
const DRAIN_MS_MAX = 10_000;

class LocalServer extends OperationServer {
  constructor(
    private readonly services: Map<ServiceName, Answer>,
    private readonly service: ServiceName,
    observer: RpcObserver,
  ) {
    super(observer);
  }

  override listen(callback: () => void) {
    if (this.services.has(this.service)) throw new Error(`Service ${this.service} is already listening in this process`);
    this.services.set(this.service, (record) => this.answer(record, performance.now()));
    callback();
  }

  override async close() {
    this.services.delete(this.service);
    await this.drain(DRAIN_MS_MAX);
  }
}

/** Operations inside one process, with the envelope, serialization and errors of the Kafka transport. */
export class LocalTransport implements RpcTransport {
  private readonly services = new Map<ServiceName, Answer>();

  constructor(private readonly observer: RpcObserver = NO_OBSERVER) {}

  server(service: ServiceName): CustomTransportStrategy {
    return new LocalServer(this.services, service, this.observer);
  }

  client() {
    return new OperationClient((request) => this.exchange(request), this.observer);
  }

  ready() {
    return Promise.resolve(true);
  }

  async close() {}

  /** The reply of a service in this process. */
  async exchange(request: OutgoingRequest): Promise<ReplyRecord> {
    const { service, record, deadlineMs } = request;
    const answer = this.services.get(service);
    if (!answer) throw unavailable(`The ${service} service is not running`);
    const reply = (await withTimeout(deadlineMs, answer(record)))?.value;
    if (reply === undefined) throw callTimedOut(request);
    return reply;
  }
}
