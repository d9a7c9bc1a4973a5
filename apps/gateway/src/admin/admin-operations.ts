import { audienceErasure } from '@tidings/contracts/audience/erasure';
import { contentSecrets } from '@tidings/contracts/content/secrets';
import type { CallContext } from '@tidings/contracts/core/context';
import { NamedDeadLetter } from '@tidings/contracts/core/dead-letters';
import { defineOperation, type Dto, type Operation, type Route } from '@tidings/contracts/core/operation';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import { eventTopics } from '@tidings/contracts/identity/event-topics';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { identitySecrets } from '@tidings/contracts/identity/secrets';
import { CreatedKey, keys, MakeKey, RotatedKey, RotateKey } from '@tidings/contracts/identity/keys';
import { limits } from '@tidings/contracts/identity/limits';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { bounces } from '@tidings/contracts/messaging/bounces';
import { erasureTraces, messagingErasure } from '@tidings/contracts/messaging/erasure';
import { messagingEventTopics } from '@tidings/contracts/messaging/event-topics';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { senders } from '@tidings/contracts/messaging/senders';
import { messagingSecrets } from '@tidings/contracts/messaging/secrets';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { AdminDeadLetters } from './admin-dead-letters';
import type { AdminStatus } from './admin-status';
import { status } from './status-definition';
import { deadLetters } from './dead-letter-definitions';
import { createKey, rotateKey } from './new-keys';

/** The path parameter that names the workspace of an operation. */
export const WORKSPACE_PARAMETER = 'workspace_id';

/** A route of the operators' interface, and the internal operation behind it. */
export interface AdminOperation {
  /** The public form of the operation: its route, and the request fields for operators. */
  readonly outward: AnyOperation;
  readonly operation: AnyOperation;
  /** Calls the operation, where its request or answer is another one than that of `outward`. */
  readonly call?: OutwardCall;
}

/** What a call may use. */
export interface AdminResources {
  readonly client: OperationClient;
  readonly deadLetters: AdminDeadLetters;
  readonly status: AdminStatus;
}

type OutwardCall<Request extends object = never> = (
  resources: AdminResources,
  context: CallContext,
  request: Request,
) => Promise<object | void>;

const ONE = { request: NamedDeadLetter };

/** All operations of the operators' interface. */
export const adminOperations = [
  admin('GET /admin/workspaces', workspaces.page),
  admin('POST /admin/workspaces', workspaces.create, { status: 201 }),
  admin('GET /admin/workspaces/:workspace_id/keys', keys.page),
  // Without a key chosen by the operator: keys are always generated, so that none is weak.
  admin(
    'POST /admin/workspaces/:workspace_id/keys',
    keys.create,
    { status: 201, request: MakeKey, response: CreatedKey },
    ({ client }, ...given) => createKey(client, ...given),
  ),
  admin(
    'POST /admin/workspaces/:workspace_id/keys/:key_id/rotate',
    keys.rotate,
    { status: 201, request: RotateKey, response: RotatedKey },
    ({ client }, ...given) => rotateKey(client, ...given),
  ),
  admin('DELETE /admin/workspaces/:workspace_id/keys/:key_id', keys.revoke, { status: 204 }),
  admin('PATCH /admin/workspaces/:workspace_id/keys/:key_id/limit', limits.changeKey),
  admin('GET /admin/workspaces/:workspace_id/limits', limits.retrieve),
  admin('PATCH /admin/workspaces/:workspace_id/limits', limits.change),
  admin('GET /admin/workspaces/:workspace_id/senders', senders.retrieve),
  admin('PUT /admin/workspaces/:workspace_id/senders', senders.replace),
  ...(['/admin', '/admin/workspaces/:workspace_id'] as const).flatMap((path) => [
    admin(`GET ${path}/providers`, providerPauses.list),
    admin(`POST ${path}/providers/:name/pause`, providerPauses.pause),
    admin(`POST ${path}/providers/:name/resume`, providerPauses.resume),
  ]),
  // One step each: the caller repeats them until all are done. The user id is in the body, which is never logged.
  admin('POST /admin/workspaces/:workspace_id/erasures/identity', identityErasure.erase),
  admin('POST /admin/workspaces/:workspace_id/erasures/audience', audienceErasure.erase),
  admin('POST /admin/workspaces/:workspace_id/erasures/messaging', messagingErasure.erase),
  admin('POST /admin/workspaces/:workspace_id/erasures/log', erasureTraces.log),
  admin('POST /admin/workspaces/:workspace_id/erasures/mailbox', erasureTraces.mailbox),
  admin('POST /admin/workspaces/:workspace_id/erasures/suppressions', erasureTraces.suppressions),
  // What an erasure needs to know before, and reports afterwards.
  admin('POST /admin/workspaces/:workspace_id/erasures/addresses', identityErasure.addresses),
  admin('POST /admin/workspaces/:workspace_id/erasures/copies', erasureTraces.copies),
  admin('POST /admin/workspaces/:workspace_id/erasures/remaining/identity', identityErasure.remaining),
  admin('POST /admin/workspaces/:workspace_id/erasures/remaining/audience', audienceErasure.remaining),
  admin('POST /admin/workspaces/:workspace_id/erasures/remaining/messaging', erasureTraces.remaining),
  admin('POST /admin/bounces', bounces.receive),
  // One step each, like erasures.
  admin('POST /admin/secrets/identity/reseal', identitySecrets.reseal),
  admin('POST /admin/secrets/messaging/reseal', messagingSecrets.reseal),
  admin('POST /admin/secrets/content/reseal', contentSecrets.reseal),
  admin('POST /admin/signing-keys/rotate', issuedTokens.rotateKey, { status: 201 }),
  admin('POST /admin/events/skip-unverified', eventTopics.skipUnverified, { status: 204 }),
  // One page each: the caller repeats them with the cursor of the answer.
  admin('POST /admin/events/republish/profiles', eventTopics.republishProfiles),
  admin('POST /admin/events/republish/memberships', eventTopics.republishMemberships),
  admin('POST /admin/events/republish/message-statuses', messagingEventTopics.republishStatuses),
  admin('GET /admin/status', status.read, {}, (own, context) => own.status.read(context)),
  admin('GET /admin/dead-letters', deadLetters.page, {}, (own, ...given) => own.deadLetters.page(...given)),
  admin('GET /admin/dead-letters/:id', deadLetters.retrieve, ONE, (own, ...given) => own.deadLetters.retrieve(...given)),
  admin('POST /admin/dead-letters/:id/redrive', deadLetters.redrive, { ...ONE, status: 204 }, (own, ...given) =>
    own.deadLetters.redrive(...given),
  ),
  admin('DELETE /admin/dead-letters/:id', deadLetters.discard, { ...ONE, status: 204 }, (own, ...given) =>
    own.deadLetters.discard(...given),
  ),
  // One step each: the caller repeats them until all are done.
  admin('POST /admin/dead-letters/redrive', deadLetters.redriveStep, {}, (own, ...given) => own.deadLetters.step(...given, 'redrive')),
  admin('POST /admin/dead-letters/discard', deadLetters.discardStep, {}, (own, ...given) => own.deadLetters.step(...given, 'discard')),
];

function admin<Request extends object, Response extends object, Outward extends object>(
  route: Route,
  operation: Operation<Request, Response>,
  differences: { status?: number; request?: Dto<Outward>; response?: AnyOperation['response'] } = {},
  call?: OutwardCall<Outward>,
): AdminOperation {
  return { operation, call, outward: defineOperation({ ...(operation as AnyOperation), route, ...differences }) };
}
