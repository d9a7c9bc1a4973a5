import { MESSAGE_STATUSES } from '@tidings/contracts/messaging/message-states';
import { type Statement, statement } from '@tidings/persistence/statement';
import { MESSAGE_COLUMNS } from '../../store/message-row';
import type { MessageFilter } from './message-filter';

/** Along one or more indexes, whose parts together meet every message that may have to be listed. */
export interface AccessPath {
  readonly statement: Statement;
  /** How many parts of indexes are read, each of one value. */
  parts(asked: MessageFilter): number;
}

/** What stands in every statement's place: see `valuesOf`. */
const WORKSPACE = '$1::uuid';
const FROM = '$2::uuid';
const BELOW = '$3::uuid';
const LOOKS = '$4::bigint';
const ENOUGH = '$5::bigint';
const SHOWN = '$6::boolean[]';

/** A stretch of ids (uuids): those below `below`, down to `from`. */
export interface IdRange {
  readonly from: string;
  readonly below: string;
}

/** The values of any way's statement. `looks` bounds what each part is looked at for, `enough` what it has to find. */
export function valuesOf(workspaceId: string, asked: MessageFilter, { from, below }: IdRange, looks: number, enough: number): unknown[] {
  const { event, list, notification, recipient, statuses, tags, providers, tenant, enqueuedAfter, trace, traceUuid, messageUuid } = asked;
  const shown = asked.archived ? [false, true] : [false];
  const filters = [event, list, notification, recipient, statuses, tags, providers, tenant, enqueuedAfter, trace, traceUuid, messageUuid];
  return [workspaceId, from, below, looks, enough, shown, ...filters];
}

/** Every condition, whatever way the messages are met by. */
const LISTED = `(
  archived = any(${SHOWN})
  and ($7::text is null or event = $7 and event <> '')
  and ($8::text is null or list_id = $8)
  and ($9::text is null or notification = $9 and notification <> '')
  and ($10::text is null or recipient = $10)
  and (cardinality($11::text[]) = 0 or status = any($11))
  and (cardinality($12::text[]) = 0 or tags ?| $12)
  and (cardinality($13::text[]) = 0
       or exists (select from jsonb_array_elements(providers) as one where one ->> 'provider' = any($13)))
  and ($14::text is null or tenant_id = $14)
  and ($15::bigint is null or enqueued_at > $15)
  and ($16::text is null or trace_id = $16 or request_id = $17::uuid or id = $17)
  and ($18::uuid is null or id = $18)
)`;

const IN_STRETCH = `id >= ${FROM} and id < ${BELOW}`;

/**
 * What one index has of each of these values, read from its end, until there is enough of it or enough was looked at. The bounds are
 * comparisons of whole rows, in the order of the index: no other index can answer them, whatever PostgreSQL believes of the values.
 */
function along(key: string, values: string, only = 'true'): string {
  const columns = `workspace_id, ${key}, archived, id`;
  return byValue(
    values,
    `select workspace_id, ${key} as key, archived, ${MESSAGE_COLUMNS}, ${LISTED} as listed,
            row_number() over (order by ${descending(columns)}) as walked
     from messages where ${between(columns)} and ${only} order by ${descending(columns)} limit ${LOOKS}`,
    'workspace_id, key, archived, id',
  );
}

/** The same along the terms, each of which leads to its message. */
function alongTerms(terms: string): string {
  const columns = 'workspace_id, term, archived, id';
  const met = 'met.workspace_id, met.term, met.archived, met.met_id';
  return byValue(
    terms,
    `select met.workspace_id, met.term, met.archived, met.met_id, message.*, row_number() over (order by ${descending(met)}) as walked
     from (
       select workspace_id, term, archived, id as met_id from message_terms
       where ${between(columns)} order by ${descending(columns)} limit ${LOOKS}
     ) as met
     cross join lateral (
       select ${MESSAGE_COLUMNS}, ${LISTED} as listed from messages
       where messages.workspace_id = met.workspace_id and messages.id = met.met_id and ${IN_STRETCH} limit 1
     ) as message
     order by ${descending(met)}`,
    'workspace_id, term, archived, met_id',
  );
}

function byValue(values: string, walked: string, order: string): string {
  return `
    select ${MESSAGE_COLUMNS}, listed, walked
    from (${values}) as asked (value), unnest(${SHOWN}) as shown (archived)
    cross join lateral (
      select * from (${walked}) as met where listed or walked = ${LOOKS} order by ${descending(order)} limit ${ENOUGH}
    ) as found`;
}

function between(columns: string): string {
  const at = (id: string): string => `(${WORKSPACE}, asked.value, shown.archived, ${id})`;
  return `(${columns}) >= ${at(FROM)} and (${columns}) < ${at(BELOW)} and ${IN_STRETCH}`;
}

/** All messages, along the primary key. */
const EVERYTHING = `
  select ${MESSAGE_COLUMNS}, listed, walked from (
    select workspace_id, ${MESSAGE_COLUMNS}, ${LISTED} as listed, row_number() over (order by workspace_id desc, id desc) as walked
    from messages
    where (workspace_id, id) >= (${WORKSPACE}, ${FROM}) and (workspace_id, id) < (${WORKSPACE}, ${BELOW}) and ${IN_STRETCH}
    order by workspace_id desc, id desc limit ${LOOKS}
  ) as met
  where listed or walked = ${LOOKS} order by workspace_id desc, id desc limit ${ENOUGH}`;

/** One message. It is not looked for, so it ends no walk. */
const exactly = (uuid: string): string => `
  select ${MESSAGE_COLUMNS}, ${LISTED} as listed, 0::bigint as walked from messages
  where workspace_id = ${WORKSPACE} and id = ${uuid} and ${IN_STRETCH} limit least(${LOOKS}, ${ENOUGH})`;

const descending = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `${column} desc`)
    .join(', ');

function way(name: string, parts: AccessPath['parts'], ...steps: string[]): AccessPath {
  const text = steps.map((step) => `(${step})`).join('\nunion all\n');
  return { statement: statement(`messaging.list_by_${name}`, text), parts };
}

const valueOf = (parameter: string): string => `select ${parameter}`;
const each = (array: string): string => `select unnest(${array})`;
const PROVIDER = `(providers -> 0 ->> 'provider')`;

const ONE = (): number => 1;
export const ACCESS_PATHS = {
  id: way('id', ONE, exactly('$18')),
  trace: way(
    'trace',
    ONE,
    along('trace_id', valueOf('$16'), 'trace_id is not null'),
    along('request_id', valueOf('$17::uuid'), 'request_id is not null'),
    exactly('$17'),
  ),
  recipient: way('recipient', ONE, along('recipient', valueOf('$10'))),
  tag: way('tag', ({ tags }) => tags.length, alongTerms(`select 'tag:' || unnest($12::text[])`)),
  list: way('list', ONE, along('list_id', valueOf('$8'), 'list_id is not null')),
  tenant: way('tenant', ONE, along('tenant_id', valueOf('$14'), 'tenant_id is not null')),
  event: way('event', ONE, along('event', valueOf('$7'), `event <> ''`)),
  notification: way('notification', ONE, along('notification', valueOf('$9'), `notification <> ''`)),
  provider: way(
    'provider',
    ({ providers }) => 2 * providers.length,
    along(PROVIDER, each('$13::text[]'), 'providers is not null'),
    alongTerms(`select 'provider:' || unnest($13::text[])`),
  ),
  status: way('status', ({ statuses }) => statuses.length, along('status', each('$11::text[]'))),
  everything: way('nothing', ONE, EVERYTHING),
  /** Passes over what is archived, however much it is. */
  everyStatus: way('every_status', () => MESSAGE_STATUSES.length, along('status', each(`'{${MESSAGE_STATUSES.join()}}'::text[]`))),
} satisfies Record<string, AccessPath>;

/**
 * Every way to find what was asked, the one that is likely to meet the fewest messages first. Each works with every combination of
 * filters: what else was asked is looked at in the messages it meets.
 */
export function waysOf(asked: MessageFilter): AccessPath[] {
  if (asked.messageUuid !== null) return [ACCESS_PATHS.id];
  const ways: AccessPath[] = [];
  if (asked.trace !== null) ways.push(ACCESS_PATHS.trace);
  if (asked.recipient !== null) ways.push(ACCESS_PATHS.recipient);
  if (asked.tags.length > 0) ways.push(ACCESS_PATHS.tag);
  if (asked.list !== null) ways.push(ACCESS_PATHS.list);
  if (asked.tenant !== null) ways.push(ACCESS_PATHS.tenant);
  if (asked.event !== null) ways.push(ACCESS_PATHS.event);
  if (asked.notification !== null) ways.push(ACCESS_PATHS.notification);
  if (asked.statuses.length > 0) ways.push(ACCESS_PATHS.status);
  if (asked.providers.length > 0) ways.push(ACCESS_PATHS.provider);
  if (ways.length > 0) return ways;
  return asked.archived ? [ACCESS_PATHS.everything] : [ACCESS_PATHS.everything, ACCESS_PATHS.everyStatus];
}
