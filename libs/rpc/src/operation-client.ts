import { sealsRequest } from '@tidings/contracts/identity/carried-secrets';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError, toErrorShape } from '@tidings/contracts/core/errors';
import type { Operation, ResponseOf, ServiceName } from '@tidings/contracts/core/operation';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { isTracing } from '@tidings/tracing/spans';
import { answerText, decodeReply, encodeRequest, isReplay, outcomeOf, type ReplyRecord, type RequestRecord } from './envelope';
import { NO_OBSERVER, type RpcObserver } from './rpc-observer';
import { tracedExchange } from './traced-calls';

export interface CallOptions {
  /** Default: the operation's. */
  deadlineMs?: number;
}

/** A request to a service, as a transport sends it. */
export interface OutgoingRequest {
  service: ServiceName;
  record: RequestRecord;
  deadlineMs: number;
  /** Whether the request may be sent to another member too. */
  repeatable: boolean;
  /** Whether the request travels sealed. */
  isSealed?: boolean;
}

/** The error of a client whose call got no answer in time; contains no internal names. */
export function callTimedOut({ service, deadlineMs, repeatable }: OutgoingRequest): ServiceError {
  const advice = repeatable ? '' : '; check whether the change was made before you try again';
  return new ServiceError('deadline_exceeded', `The ${service} service did not answer within ${deadlineMs} ms${advice}`);
}

/** Calls operations of other services. The process chooses the transport at its start. */
export class OperationClient {
  /** @param exchange of the transport: sends a request to a service and resolves with the reply. Throws as `call`. */
  constructor(
    private readonly exchange: (request: OutgoingRequest) => Promise<ReplyRecord>,
    private readonly observer: RpcObserver = NO_OBSERVER,
  ) {}

  /**
   * Calls `operation` and resolves with the service's answer.
   * @throws ServiceError the service's own, `unavailable` when the service cannot be reached, `deadline_exceeded` without an answer
   * within `deadlineMs`, `not_served` when no handler exists.
   */
  async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    options?: CallOptions,
  ): Promise<ResponseOf<Operation<Request, Response>>> {
    return decodeReply(await this.replyTo(operation, context, request, options));
  }

  /**
   * Like `call`, for callers that forward the answer: resolves with its JSON text, which is neither parsed nor serialized again;
   * `undefined` for an empty answer.
   */
  async callForJson(operation: AnyOperation, context: CallContext, request: object): Promise<string | undefined> {
    return answerText(await this.replyTo(operation, context, request));
  }

  private async replyTo(
    operation: AnyOperation,
    context: CallContext,
    request: object,
    { deadlineMs = operation.deadlineMs }: CallOptions = {},
  ) {
    const record = encodeRequest(operation, context, request, deadlineMs);
    const reply = await this.observed(operation, record, deadlineMs);
    if (context.requestKey && isReplay(reply)) context.requestKey.replayed = true;
    return reply;
  }

  private async observed(operation: AnyOperation, record: RequestRecord, deadlineMs: number) {
    const { service, repeatable, pattern } = operation;
    const sinceMs = performance.now();
    try {
      const outgoing = { service, record, deadlineMs, repeatable, isSealed: sealsRequest(operation) };
      const reply = await (isTracing() ? tracedExchange(outgoing, this.exchange) : this.exchange(outgoing));
      this.observer.called(pattern, outcomeOf(reply), sinceMs);
      return reply;
    } catch (error) {
      this.observer.called(pattern, toErrorShape(error).code, sinceMs);
      throw error;
    }
  }
}
