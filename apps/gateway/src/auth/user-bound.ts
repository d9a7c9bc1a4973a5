import { ServiceError } from '@tidings/contracts/core/errors';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { assertOwner, assertUser } from './access-rule';
import type { Caller } from './caller';

/** Answers an operation with JSON text, or with `undefined` where there is nothing to say. */
export type Serve = (caller: Caller, request: object) => Promise<string | undefined>;

type Values = Record<string, unknown>;

/**
 * Keeps tokens to the users they name, where it takes the request or even the answer to know whose the data is; what the path
 * says was judged before (`assertAllowed`). API keys pass as they are.
 */
export function boundToUsers(operation: AnyOperation, serve: Serve, client: OperationClient, all: readonly AnyOperation[]): Serve {
  const { ofUser, ofUserAnswered, pathParameters } = operation;
  if (ofUser !== undefined && !pathParameters.includes(ofUser)) return ofRequestedUser(ofUser, serve);
  if (ofUserAnswered) return ofAnsweredUser(operation, ofUserAnswered, serve, client, all);
  return serve;
}

/** A listing is filtered by the user; that of a token with one user is so by itself. */
function ofRequestedUser(field: string, serve: Serve): Serve {
  return async (caller, request) => {
    if (!caller.isToken) return serve(caller, request);
    const user = (request as Values)[field] ?? impliedUser(caller, field);
    assertUser(caller, user);
    return serve(caller, Object.assign(request, { [field]: user }));
  };
}

function ofAnsweredUser(
  operation: AnyOperation,
  { by, field }: NonNullable<AnyOperation['ofUserAnswered']>,
  serve: Serve,
  client: OperationClient,
  all: readonly AnyOperation[],
): Serve {
  if (by === operation.pattern) {
    if (operation.method !== 'GET') throw new Error(`${operation.pattern} would be done before it is known whose data it is`);
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

/** The one user of a token; none where it names nobody. Throws `forbidden` where there is a choice, naming the field that makes it. */
function impliedUser({ scopes }: Caller, field: string): string | undefined {
  const [user, ...others] = scopes.filter((scope) => scope.startsWith(USER_SCOPE_PREFIX));
  if (others.length > 0) throw new ServiceError('forbidden', `The token names ${others.length + 1} users: say which of them in ${field}`);
  return user?.slice(USER_SCOPE_PREFIX.length);
}
