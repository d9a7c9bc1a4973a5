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
/** Whoever makes a page stores nothing of it any more, and the page is made again. A request that nobody took up yet has none. */
const INTERRUPT = statement(
  'messaging.interrupt_expansions',
  `update expansions set turn = expansions.turn + 1, due_at = clock_timestamp()
   from (select request_id from expansions where workspace_id = $1 and turn > 0 order by request_id for update) taken
   where expansions.request_id = taken.request_id`,
);

/**
 * Takes a user out of requests that name them and whose recipients are still being found; how many of the requests. Targets are known
 * by their places, so the place stays, and nobody stands behind it.
 */
export async function eraseFromExpansions(tx: Queryable, workspaceId: string, recipient: string): Promise<number> {
  const rows = await tx.query<{ request_id: string; request: MessageRequested }>(NAMING, [workspaceId, recipient]);
  for (const { request_id, request } of rows) {
    const targets = request.targets!.map((target) => (target.kind === 'user' && target.recipient === recipient ? nobody() : target));
    await tx.execute(REPLACE, [request_id, JSON.stringify({ ...request, targets })]);
  }
  return rows.length;
}

/**
 * After it nobody becomes a recipient of a message who was found before it: pages that are being made begin again, and do not find who is
 * not there any more. Pages that are being stored are waited for.
 */
export async function interruptExpansions(database: Queryable, workspaceId: string): Promise<void> {
  await database.execute(INTERRUPT, [workspaceId]);
}

/** A list that does not exist, and that nobody will make. */
function nobody(): Target {
  return { kind: 'list', listId: `erased-${randomBytes(16).toString('hex')}` };
}
