import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation, ResponseOf, ServiceName } from '@tidings/contracts/core/operation';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { answerText, decodeReply, encodeRequest, isReplay, type ReplyRecord, type RequestRecord } from './envelope';
import { type CallOptions, OperationClient } from './operation-client';

/** A request to a service, as a transport sends it. */
export interface OutgoingRequest {
  service: ServiceName;
  record: RequestRecord;
  deadlineMs: number;
  /** Whether the request may be sent to another member too. */
  repeatable: boolean;
}

/** The error of a client whose call got no answer in time; contains no internal names. */
export function callTimedOut({ service, deadlineMs, repeatable }: OutgoingRequest): ServiceError {
  const advice = repeatable ? '' : '; check whether the change was made before you try again';
  return new ServiceError('deadline_exceeded', `The ${service} service did not answer within ${deadlineMs} ms${advice}`);
}

/** The part of a client common to all transports: encodes operations as records. */
export class RecordClient extends OperationClient {
  /** @param exchange sends a request to a service and resolves with the reply. Throws as `OperationClient.call`. */
  constructor(private readonly exchange: (request: OutgoingRequest) => Promise<ReplyRecord>) {
    super();
  }

  async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    options?: CallOptions,
  ): Promise<ResponseOf<Operation<Request, Response>>> {
    return decodeReply(await this.replyTo(operation, context, request, options));
  }

  /** The answer is neither parsed nor serialized again. */
  override async callForJson(operation: AnyOperation, context: CallContext, request: object, options?: CallOptions) {
    return answerText(await this.replyTo(operation, context, request, options));
  }

  private async replyTo(
    operation: AnyOperation,
    context: CallContext,
    request: object,
    { deadlineMs = operation.deadlineMs }: CallOptions = {},
  ) {
    const record = encodeRequest(operation, context, request, deadlineMs);
    const { service, repeatable } = operation;
    const reply = await this.exchange({ service, record, deadlineMs, repeatable });
    if (context.requestKey && isReplay(reply)) context.requestKey.replayed = true;
    return reply;
  }
}
