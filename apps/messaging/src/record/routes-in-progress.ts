import type { ProviderStatus } from '@tidings/contracts/messaging/messages';
import { type Queryable, statement } from '@tidings/persistence/database';
import { leafOf, type LeafNames, withLastError } from './leaf-record';

/** The configuration of a delivery's `integration`, to be joined; none for the operator's, and where it was removed. */
export const CONFIGURATION_OF = (row: string): string =>
  `provider_configurations configuration on configuration.workspace_id = ${row}.workspace_id
     and configuration.configuration_id = ${row}.integration collate "C"`;

/** Its alias; after it was removed, the alias that it had when the message was routed. */
export const ALIAS_OF = (row: string): string =>
  `case when configuration.configuration_id is null then ${row}.routed_alias else configuration.alias end as alias`;

/** A delivery that has not ended. */
export interface RouteInProgress extends Omit<LeafNames, 'alias'> {
  message_id: string;
  alias: string | null;
  /** Calls, including an open one. */
  attempt: number;
  /** When the next attempt is due, ms since the epoch; null during a call. */
  next_at: number | null;
  last_error: string | null;
  last_response: object | null;
  wait_reason: string | null;
  /** Start of the time limit of the message, ms since the epoch. */
  since_ms: number;
}

// SQL because records of messages are read with their deliveries, which have no entity.
/** The deliveries that meet a condition. */
const inProgress = (condition: string) =>
  `select deliveries.message_id, deliveries.channel, deliveries.integration, deliveries.provider, ${ALIAS_OF('deliveries')}, deliveries.attempt,
          case when not deliveries.attempt_open then round(extract(epoch from deliveries.due_at) * 1000)::float8 end as next_at,
          deliveries.last_error, deliveries.last_response, deliveries.wait_reason, deliveries.since_ms::float8 as since_ms
     from deliveries left join ${CONFIGURATION_OF('deliveries')}
    where ${condition} order by deliveries.message_id, deliveries.leaf`;

/** A column of `messages`: their `RouteInProgress[]`, null without any. */
export const ROUTES_IN_PROGRESS = `(
  select json_agg(route) from (${inProgress('deliveries.workspace_id = messages.workspace_id and deliveries.message_id = messages.id')}) route)`;

const OF_MESSAGES = statement(
  'messaging.routes_in_progress',
  inProgress('deliveries.workspace_id = $1 and deliveries.message_id = any($2::uuid[])'),
);

/** The routes in progress of messages. */
export async function routesInProgress(tx: Queryable, workspaceId: string, uuids: readonly string[]): Promise<RouteInProgress[]> {
  return uuids.length === 0 ? [] : tx.query<RouteInProgress>(OF_MESSAGES, [workspaceId, uuids]);
}

/** The entry of a route in progress in its message's record. @param template id of the template, empty without one. */
export function toProviderStatus(route: RouteInProgress, template: string): ProviderStatus {
  const { alias, attempt: attempts, next_at, last_error, last_response, wait_reason } = route;
  const error = next_at !== null && wait_reason !== null ? withLastError(wait_reason, attempts, last_error) : last_error;
  return {
    ...leafOf({ ...route, alias: alias ?? undefined }),
    channel: { key: route.channel, template },
    attempts,
    next_attempt: next_at ?? undefined,
    error: error ?? undefined,
    providerResponse: last_response ?? undefined,
  };
}
