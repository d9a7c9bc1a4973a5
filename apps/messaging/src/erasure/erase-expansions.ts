import { randomBytes } from 'node:crypto';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Target } from '@tidings/contracts/messaging/targets';
import { type Queryable, statement } from '@tidings/persistence/database';

/** Requests of one step. */
const STEP_REQUESTS = 10;

const NAMING = statement(
  'messaging.expansions_naming',
  `select request_id, request from expansions
   where workspace_id = $1 and exists (select from json_array_elements(request -> 'targets') as target where target ->> 'recipient' = $2)
   order by request_id limit ${STEP_REQUESTS} for update`,
);
const REPLACE = statement('messaging.replace_expansion_request', `update expansions set request = $2 where request_id = $1`);
/** Fences off pages under way, which store nothing then and are repeated. Generation 0: not claimed yet, so no page is under way. */
const INTERRUPT = statement(
  'messaging.interrupt_expansions',
  `update expansions set turn = expansions.turn + 1, due_at = clock_timestamp()
   from (select request_id from expansions where workspace_id = $1 and turn > 0 order by request_id for update) claimed
   where expansions.request_id = claimed.request_id`,
);

/**
 * Erases a user from requests in expansion that name them; resolves with the number of requests. Targets are identified by their index, so
 * an empty target replaces the user.
 */
export async function eraseFromExpansions(tx: Queryable, workspaceId: string, recipient: string): Promise<number> {
  const rows = await tx.query<{ request_id: string; request: MessageRequested }>(NAMING, [workspaceId, recipient]);
  for (const { request_id, request } of rows) {
    const targets = request.targets!.map((target) => (target.kind === 'user' && target.recipient === recipient ? emptyTarget() : target));
    await tx.execute(REPLACE, [request_id, JSON.stringify({ ...request, targets })]);
  }
  return rows.length;
}

/**
 * Makes expansions repeat their pages under way, which then do not find users erased before. Waits for pages that are being stored.
 * Afterwards no message is made for a recipient found earlier.
 */
export async function interruptExpansions(database: Queryable, workspaceId: string): Promise<void> {
  await database.execute(INTERRUPT, [workspaceId]);
}

/** A list with a random id, which does not exist. */
function emptyTarget(): Target {
  return { kind: 'list', listId: `erased-${randomBytes(16).toString('hex')}` };
}
