import { ServiceError } from '@tidings/contracts/core/errors';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { assertOwner, assertUser } from './access-rule';
import type { Caller } from './caller';

/** Answers an operation with JSON text, or with `undefined` for an empty answer. */
export type Serve = (caller: Caller, request: object) => Promise<string | undefined>;

type Values = Record<string, unknown>;

/**
 * Restricts tokens to their users, where only the request or the answer names the owner of the data; path parameters were checked
 * before (`assertAllowed`). API keys are not restricted.
 */
export function boundToUsers(operation: AnyOperation, serve: Serve, client: OperationClient, all: readonly AnyOperation[]): Serve {
  const { ofUser, ofUserAnswered, pathParameters } = operation;
  if (ofUser !== undefined && !pathParameters.includes(ofUser)) return ofRequestedUser(ofUser, serve);
  if (ofUserAnswered) return ofAnsweredUser(operation, serve, client, all);
  return serve;
}

/** A listing is filtered by the user; for a token with one user the filter is implied. */
function ofRequestedUser(field: string, serve: Serve): Serve {
  return async (caller, request) => {
    if (!caller.isToken) return serve(caller, request);
    const user = (request as Values)[field] ?? impliedUser(caller, field);
    assertUser(caller, user);
    return serve(caller, Object.assign(request, { [field]: user }));
  };
}

function ofAnsweredUser(operation: AnyOperation, serve: Serve, client: OperationClient, all: readonly AnyOperation[]): Serve {
  const { by, field } = operation.ofUserAnswered!;
  if (by === operation.pattern) {
    if (operation.method !== 'GET') throw new Error(`${operation.pattern} would be executed before the owner of the data is known`);
    return async (caller, request) => {
      const answer = await serve(caller, request);
      if (caller.isToken) assertOwner(caller, (JSON.parse(answer ?? '{}') as Values)[field]);
      return answer;
    };
  }
  const read = all.find(({ pattern }) => pattern === by);
  if (!read) throw new Error(`${operation.pattern}: there is no operation ${by}`);
  return async (caller, request) => {
    if (caller.isToken) assertOwner(caller, ((await client.call(read, { ...caller, requestKey: undefined }, request)) as Values)[field]);
    return serve(caller, request);
  };
}

/** The one user of a token, if any. Throws `forbidden` for several users, naming the field that selects one. */
function impliedUser({ scopes }: Caller, field: string) {
  const [user, ...others] = scopes.filter((scope) => scope.startsWith(USER_SCOPE_PREFIX));
  if (others.length > 0) throw new ServiceError('forbidden', `The token names ${others.length + 1} users: name one of them in ${field}`);
  return user?.slice(USER_SCOPE_PREFIX.length);
}
