import type { CallContext } from '@tidings/contracts/core/context';
import type { Operation, ResponseOf } from '@tidings/contracts/core/operation';

/** Calls operations of other services. Which transport carries them is decided at start. */
export abstract class OperationClient {
  /**
   * Asks the service of `operation` and resolves with its answer.
   * Throws `ServiceError`: the service's own, `unavailable` when it cannot be reached, `deadline_exceeded` when no answer
   * came in `deadlineMs` (default: the operation's), `not_served` when nobody handles the operation.
   */
  abstract call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    options?: { deadlineMs?: number },
  ): Promise<ResponseOf<Operation<Request, Response>>>;

  /** The same for whoever passes the answer on: its JSON text, `undefined` where the operation has nothing to say. */
  async callForJson<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    context: CallContext,
    request: Request,
    options?: { deadlineMs?: number },
  ): Promise<string | undefined> {
    const answer: unknown = await this.call(operation, context, request, options);
    return answer === undefined ? undefined : JSON.stringify(answer);
  }
}
