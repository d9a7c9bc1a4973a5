import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import type { CallContext } from '@tidings/contracts/core/context';
import type { Operation, ResponseOf, ServiceName } from '@tidings/contracts/core/operation';
import { answerText, decodeReply, encodeRequest, isReplay, type ReplyRecord, type RequestRecord } from './envelope';
import type { OperationClient } from './operation-client';

export interface OutgoingRequest {
  service: ServiceName;
  record: RequestRecord;
  deadlineMs: number;
  /** May be asked a second time elsewhere. */
  repeatable: boolean;
}

/** Takes a request to a service and brings the reply. @throws ServiceError as `OperationClient.call` says. */
type Exchange = (errand: OutgoingRequest) => Promise<ReplyRecord>;

/** The part of a client that no transport changes: what an operation is on the way, and Nest's own entrance. */
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

  /** Neither parsed nor written again on its way. */
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

  /** Nest's own entrance; `data` is a `RequestRecord`. */
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

  /** Facts travel on the event log, never here. */
  protected override dispatchEvent(packet: ReadPacket): Promise<never> {
    return Promise.reject(new Error(`${String(packet.pattern)}: events are appended to the event log, not emitted over RPC`));
  }
}
