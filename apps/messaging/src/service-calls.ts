import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import type { Operation } from '@tidings/contracts/core/operation';
import type { OperationClient } from '@tidings/rpc/operation-client';

/**
 * Calls another service for work that is retried. Rejects with `unavailable` unless the service refuses the request for good.
 * @param workspaceId the workspace of the call; absent: the call is about several.
 */
export async function callService<Request extends object, Response extends object>(
  client: OperationClient,
  operation: Operation<Request, Response>,
  request: Request,
  workspaceId?: string,
) {
  const context = systemContext(randomUUID());
  try {
    return await client.call(operation, workspaceId === undefined ? context : { ...context, workspaceId }, request);
  } catch (error) {
    if (!(error instanceof ServiceError) || isRefused(error)) throw error;
    throw unavailable(`${operation.pattern} is unavailable: ${error.message}`);
  }
}

/** Whether another service refuses a request for good, so that a retry is useless. */
export function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'invalid_request' || error.code === 'not_found');
}
