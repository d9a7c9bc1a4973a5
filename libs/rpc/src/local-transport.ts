import type { CustomTransportStrategy } from '@nestjs/microservices';
import { unavailable } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { ReplyRecord, RequestRecord } from './envelope';
import type { OperationClient } from './operation-client';
import { OperationServer } from './operation-server';
import { callTimedOut } from './call-timed-out';
import { type OutgoingRequest, RecordClient } from './record-client';
import type { RpcTransport } from './transport';

type Answer = (record: RequestRecord) => Promise<ReplyRecord | undefined>;

/** Where the services of one process meet. */
class LocalBus {
  private readonly services = new Map<string, Answer>();

  join(service: ServiceName, answer: Answer): void {
    if (this.services.has(service)) throw new Error(`Service ${service} is already listening in this process`);
    this.services.set(service, answer);
  }

  leave(service: ServiceName): void {
    this.services.delete(service);
  }

  /** Resolves with `undefined` when the service found the deadline passed. */
  exchange(service: string, record: RequestRecord): Promise<ReplyRecord | undefined> {
    const answer = this.services.get(service);
    if (!answer) {
      return Promise.reject(unavailable(`The ${service} service is not running`));
    }
    return answer(record);
  }
}

/** How long `close` waits for handlers at work, in ms, and how often it looks. */
const DRAIN_MS_MAX = 10_000;
const DRAIN_LOOK_MS = 10;

class LocalServer extends OperationServer {
  constructor(
    private readonly bus: LocalBus,
    private readonly service: ServiceName,
  ) {
    super();
  }

  override listen(callback: () => void): void {
    this.bus.join(this.service, (record) => this.answer(record, performance.now()));
    callback();
  }

  override async close(): Promise<void> {
    this.bus.leave(this.service);
    const end = performance.now() + DRAIN_MS_MAX;
    while (!this.idle && performance.now() < end) await new Promise((look) => setTimeout(look, DRAIN_LOOK_MS));
  }
}

/** Operations inside one process, through the envelope, serialization and errors that Kafka has. */
export class LocalTransport implements RpcTransport {
  private readonly bus = new LocalBus();

  server(service: ServiceName): CustomTransportStrategy {
    return new LocalServer(this.bus, service);
  }

  client(): OperationClient {
    return new RecordClient((request) => this.exchange(request));
  }

  /** A client all of whose requests are one delivery, as those of a transport that delivers a request again are. */
  redeliveringClient(deliveryId: string): OperationClient {
    return new RecordClient(({ record: { headers, body }, ...request }) =>
      this.exchange({ ...request, record: { headers: { ...headers, deliveryId }, body } }),
    );
  }

  ready(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async close(): Promise<void> {}

  private exchange({ service, record, deadlineMs, repeatable }: OutgoingRequest): Promise<ReplyRecord> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(callTimedOut(service, deadlineMs, repeatable));
      const timer = setTimeout(late, deadlineMs);
      this.bus
        .exchange(service, record)
        .then((reply) => (reply === undefined ? late() : resolve(reply)), reject)
        .finally(() => clearTimeout(timer));
    });
  }
}
