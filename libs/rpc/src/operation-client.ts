import type { CallContext } from '@tidings/contracts/core/context';
import type { Operation, ResponseOf } from '@tidings/contracts/core/operation';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';

export interface CallOptions {
  /** Default: the operation's. */
  deadlineMs?: number;
}

/** Calls operations of other services. The process chooses the transport at its start. */
export abstract class OperationClient {
  /**
   * Calls `operation` and resolves with the service's answer.
   * @throws ServiceError the service's own, `unavailable` when the service cannot be reached, `deadline_exceeded` without an answer
   * within `deadlineMs`, `not_served` when no handler exists.
   */
  abstract call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    options?: CallOptions,
  ): Promise<ResponseOf<Operation<Request, Response>>>;

  /** Like `call`, for callers that forward the answer: resolves with its JSON text, `undefined` for an empty answer. */
  async callForJson(operation: AnyOperation, context: CallContext, request: object, options?: CallOptions): Promise<string | undefined> {
    const answer: unknown = await this.call(operation, context, request, options);
    return answer === undefined ? undefined : JSON.stringify(answer);
  }
}
