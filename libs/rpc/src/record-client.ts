import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import type { CallContext } from '@tidings/contracts/core/context';
import type { Operation, ResponseOf, ServiceName } from '@tidings/contracts/core/operation';
import { answerText, decodeReply, encodeRequest, isReplay, type ReplyRecord, type RequestRecord } from './envelope';
import type { OperationClient } from './operation-client';

/** A request to a service, as a transport sends it. */
export interface OutgoingRequest {
  service: ServiceName;
  record: RequestRecord;
  deadlineMs: number;
  /** Whether the request may be sent to another member too. */
  repeatable: boolean;
}

/** Sends a request to a service and resolves with the reply. @throws ServiceError: see `OperationClient.call`. */
type Exchange = (request: OutgoingRequest) => Promise<ReplyRecord>;

/** The part of a client common to all transports: encodes operations as records; also serves Nest's own client interface. */
export class RecordClient extends ClientProxy implements OperationClient {
  constructor(private readonly exchange: Exchange) {
    super();
  }

  /** The transport is connected already. */
  override async connect(): Promise<void> {}
  override close(): void {}
  override unwrap<T>(): T {
    return this as unknown as T;
  }

  async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    { deadlineMs = operation.deadlineMs }: { deadlineMs?: number } = {},
  ): Promise<ResponseOf<Operation<Request, Response>>> {
    return decodeReply(await this.replyTo(operation, context, request, deadlineMs));
  }

  /** The answer is neither parsed nor serialized again. */
  async callForJson<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    { deadlineMs = operation.deadlineMs }: { deadlineMs?: number } = {},
  ): Promise<string | undefined> {
    return answerText(await this.replyTo(operation, context, request, deadlineMs));
  }

  private async replyTo<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    deadlineMs: number,
  ): Promise<ReplyRecord> {
    const record = encodeRequest(operation, context, request, deadlineMs);
    const { service, repeatable } = operation;
    const reply = await this.exchange({ service, record, deadlineMs, repeatable });
    if (context.requestKey && isReplay(reply)) context.requestKey.replayed = true;
    return reply;
  }

  /** Nest's own client interface; `data` is a `RequestRecord`. */
  protected override publish({ pattern, data }: ReadPacket<RequestRecord>, callback: (packet: WritePacket) => void): () => void {
    let wanted = true;
    const service = String(pattern).split('.')[0] as ServiceName;
    this.exchange({ service, record: data, deadlineMs: Number(data.headers.deadline), repeatable: false }).then(
      (response) => wanted && callback({ response, isDisposed: true }),
      (err: unknown) => wanted && callback({ err, isDisposed: true }),
    );
    return () => {
      wanted = false;
    };
  }

  /** Events are published on the event log, never over RPC. */
  protected override dispatchEvent(packet: ReadPacket): Promise<never> {
    return Promise.reject(new Error(`${String(packet.pattern)}: events are appended to the event log, not emitted over RPC`));
  }
}
