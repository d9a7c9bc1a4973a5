import { ClientProxy, type CustomTransportStrategy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation, ResponseOf, ServiceName } from '@tidings/contracts/core/operation';
import { decodeReply, encodeRequest, type ReplyRecord, type RequestRecord } from './envelope';
import type { OperationClient } from './operation-client';
import { OperationServer } from './operation-server';
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
      return Promise.reject(new ServiceError('unavailable', `The ${service} service is not running`, { retryAfterSeconds: 1 }));
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

class LocalClient extends ClientProxy implements OperationClient {
  constructor(private readonly bus: LocalBus) {
    super();
  }

  override async connect(): Promise<void> {}
  override close(): void {}
  override unwrap<T>(): T {
    return this.bus as T;
  }

  async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    { deadlineMs = operation.deadlineMs }: { deadlineMs?: number } = {},
  ): Promise<ResponseOf<Operation<Request, Response>>> {
    const reply = await this.exchange(operation.service, encodeRequest(operation, context, request, deadlineMs));
    return decodeReply(reply);
  }

  /** Nest's own entrance; `data` is a `RequestRecord`. */
  protected override publish({ pattern, data }: ReadPacket<RequestRecord>, callback: (packet: WritePacket) => void): () => void {
    let wanted = true;
    this.exchange(String(pattern).split('.')[0]!, data).then(
      (response) => wanted && callback({ response, isDisposed: true }),
      (err: unknown) => wanted && callback({ err, isDisposed: true }),
    );
    return () => {
      wanted = false;
    };
  }

  /** Facts travel on the event log, never here. */
  protected override dispatchEvent(packet: ReadPacket): Promise<never> {
    return Promise.reject(new Error(`${String(packet.pattern)}: events are appended to the event log, not emitted over RPC`));
  }

  private exchange(service: string, record: RequestRecord): Promise<ReplyRecord> {
    const { operation, deadline } = record.headers;
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new ServiceError('deadline_exceeded', `${operation} did not answer within ${deadline} ms`));
      const timer = setTimeout(late, Number(deadline));
      this.bus
        .exchange(service, record)
        .then((reply) => (reply === undefined ? late() : resolve(reply)), reject)
        .finally(() => clearTimeout(timer));
    });
  }
}

/** Operations inside one process, through the envelope, serialization and errors that Kafka has. */
export class LocalTransport implements RpcTransport {
  private readonly bus = new LocalBus();

  server(service: ServiceName): CustomTransportStrategy {
    return new LocalServer(this.bus, service);
  }

  client(): OperationClient {
    return new LocalClient(this.bus);
  }

  ready(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async close(): Promise<void> {}
}
