import { audienceErasure } from '@tidings/contracts/audience/erasure';
import { defineOperation, type Operation, type Route } from '@tidings/contracts/core/operation';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys } from '@tidings/contracts/identity/keys';
import { MakeKey } from '@tidings/contracts/identity/managed-keys';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { messagingErasure } from '@tidings/contracts/messaging/erasure';

/** The parameter of a path that names the workspace which an operation works in. */
export const WORKSPACE_PARAMETER = 'workspace_id';

/** A route of the operators' interface, and the internal operation behind it. */
export interface AdminOperation {
  /** How the operation looks from outside: its route, and what of its request an operator may say. */
  readonly outward: AnyOperation;
  readonly operation: AnyOperation;
}

/** Everything that operators can do over HTTP. */
export const adminOperations: readonly AdminOperation[] = [
  admin('GET /admin/workspaces', workspaces.page),
  admin('POST /admin/workspaces', workspaces.create, { status: 201 }),
  admin('GET /admin/workspaces/:workspace_id/keys', keys.page),
  // Not with a key of the operator's own: it is drawn here, so that none is weak.
  admin('POST /admin/workspaces/:workspace_id/keys', keys.create, { status: 201, request: MakeKey }),
  admin('POST /admin/workspaces/:workspace_id/keys/:key_id/rotate', keys.rotate, { status: 201 }),
  admin('DELETE /admin/workspaces/:workspace_id/keys/:key_id', keys.revoke, { status: 204 }),
  // A step each: whoever asks repeats them until all are done. The user stands in the body, which no log keeps.
  admin('POST /admin/workspaces/:workspace_id/erasures/identity', identityErasure.erase),
  admin('POST /admin/workspaces/:workspace_id/erasures/audience', audienceErasure.erase),
  admin('POST /admin/workspaces/:workspace_id/erasures/messaging', messagingErasure.erase),
  admin('POST /admin/signing-keys/rotate', issuedTokens.rotateKey, { status: 201 }),
];

function admin<Request extends object, Response extends object>(
  route: Route,
  operation: Operation<Request, Response>,
  differences: { status?: number; request?: AnyOperation['request'] } = {},
): AdminOperation {
  return { operation, outward: defineOperation({ ...(operation as AnyOperation), route, ...differences }) };
}
