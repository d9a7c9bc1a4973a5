import { isGranted } from '@tidings/contracts/core/granted';
import { ServiceError } from '@tidings/contracts/core/errors';
import { USER_BOUND_SCOPES, USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import type { Scope } from '@tidings/contracts/core/operation';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import type { Caller } from './caller';

/** Longest part of an id that an error message repeats. */
const SHOWN_LENGTH_MAX = 200;

/** Values of the path's parameters. */
type Parameters = Readonly<Record<string, string | undefined>>;

/** Requirements of an operation on the credential; rules on path parameters are checked before the body is read. */
export interface AccessRule {
  scope: Scope;
  /** Path parameter that a narrower scope may name. */
  scopedBy?: string;
  /** A scope that suffices too. */
  limitedScope?: Scope;
  /** Path parameter that names the owner of the data. */
  userIn?: string;
  /** The scope is bound to the users of a token, but the operation does not name the owner: tokens are refused. */
  noTokens: boolean;
  /** The call leaves an audit event, which names the caller. */
  audited: boolean;
}

/** The rule of an operation, computed once. Throws for a parameter that is not in the path. */
export function accessRuleOf(operation: AnyOperation): AccessRule {
  const { pattern, scope, scopedBy, limitedScope, ofUser, ofUserAnswered, pathParameters, audit } = operation;
  if (scopedBy !== undefined && !pathParameters.includes(scopedBy)) throw new Error(`${pattern}: ${scopedBy} is not in the path`);
  return {
    scope,
    scopedBy,
    limitedScope,
    userIn: pathParameters.find((name) => name === ofUser),
    noTokens: USER_BOUND_SCOPES.has(scope) && ofUser === undefined && ofUserAnswered === undefined,
    audited: audit !== undefined,
  };
}

/** Throws `forbidden`, naming the scope that the caller lacks. */
export function assertAllowed({ scope, scopedBy, limitedScope, userIn, noTokens }: AccessRule, caller: Caller, parameters: Parameters) {
  if (!isGranted({ scope, scopedBy, limitedScope }, caller.scopes, parameters)) {
    const narrower = scopedBy === undefined ? '' : ` (or ${scope}:<${scopedBy}>)`;
    throw new ServiceError('forbidden', `The credential lacks the scope ${scope}${narrower}`);
  }
  if (!caller.isToken) return;
  if (noTokens) throw new ServiceError('forbidden', 'This needs an API key: an issued token reaches the data of its users alone');
  if (userIn !== undefined) assertUser(caller, parameters[userIn]);
}

/** Throws `forbidden` when a token does not include this user, who is named by the request. Keys see every user. */
export function assertUser(caller: Caller, user: unknown) {
  assertSees(caller, user, typeof user === 'string' ? user.slice(0, SHOWN_LENGTH_MAX) : '<id>');
}

/** As `assertUser`, for a user whose id must not be revealed to the caller. */
export function assertOwner(caller: Caller, user: unknown) {
  assertSees(caller, user, '<id> of the user to whom this belongs');
}

function assertSees({ isToken, scopes }: Caller, user: unknown, shown: string) {
  if (!isToken || (typeof user === 'string' && scopes.includes(USER_SCOPE_PREFIX + user))) return;
  throw new ServiceError('forbidden', `The token lacks the scope ${USER_SCOPE_PREFIX}${shown}`);
}
