import { MESSAGE_STATUSES } from '@tidings/contracts/messaging/message-states';
import { type Statement, statement } from '@tidings/persistence/statement';
import { MESSAGE_COLUMNS } from '../../record/message-row';
import type { MessageFilter } from './message-filter';

/** One or more indexes, whose parts together contain every message that may match. */
export interface AccessPath {
  readonly statement: Statement;
  /** Number of index parts that are read, one per value; 0: the filter has no condition for it. */
  parts(filter: MessageFilter): number;
}

/** Parameters of every statement: see `valuesOf`. */
const WORKSPACE = '$1::uuid';
const FROM = '$2::uuid';
const BELOW = '$3::uuid';
const READS = '$4::bigint';
const ENOUGH = '$5::bigint';
const SHOWN = '$6::boolean[]';

/** A range of ids (uuids): from `from` to below `below`. */
export interface IdRange {
  readonly from: string;
  readonly below: string;
}

/** The values of every statement. Each index part is read up to `reads` rows, or until it has found `enough`. */
export function valuesOf(workspaceId: string, filter: MessageFilter, { from, below }: IdRange, reads: number, enough: number): unknown[] {
  const shown = filter.archived ? [false, true] : [false];
  return [workspaceId, from, below, reads, enough, shown, ...CONDITIONS.map((name) => filter[name])];
}

/** The fields of the filter as parameters, from `$7` on. */
const CONDITIONS = [
  'event',
  'list',
  'notification',
  'recipient',
  'statuses',
  'tags',
  'providers',
  'tenant',
  'enqueuedAfter',
  'trace',
  'traceUuid',
  'messageUuid',
  'kinds',
  'configurations',
  'integrations',
] as const;

/** All conditions of the filter, checked on every access path. */
const LISTED = `(
  archived = any(${SHOWN})
  and ($7::text is null or event = $7 and event <> '')
  and ($8::text is null or list_id = $8)
  and ($9::text is null or notification = $9 and notification <> '')
  and ($10::text is null or recipient = $10)
  and (cardinality($11::text[]) = 0 or status = any($11))
  and (cardinality($12::text[]) = 0 or tags ?| $12)
  and (cardinality($13::text[]) = 0
       or exists (select from jsonb_array_elements(providers) as one
                  where one ->> 'provider' = any($19::text[]) or one ->> 'configuration_id' = any($20::text[]))
       or (select true from deliveries
            where deliveries.workspace_id = messages.workspace_id and deliveries.message_id = messages.id
              and deliveries.integration = any($21::text[])
              and (deliveries.provider = any($19) or deliveries.integration = any($20)) limit 1))
  and ($14::text is null or tenant_id = $14)
  and ($15::bigint is null or enqueued_at > $15)
  and ($16::text is null or trace_id = $16 or request_id = $17::uuid or id = $17)
  and ($18::uuid is null or id = $18)
)`;

const IN_RANGE = `id >= ${FROM} and id < ${BELOW}`;

/**
 * Reads one index for each of the values, from its end, until enough rows were found or read. The bounds compare whole rows in the order of
 * the index, so that no other index can serve them, whatever PostgreSQL estimates.
 */
function along(key: string, values: string, only = 'true') {
  const columns = `workspace_id, ${key}, archived, id`;
  return byValue(
    values,
    `select workspace_id, ${key} as key, archived, ${MESSAGE_COLUMNS}, ${LISTED} as listed,
            row_number() over (order by ${descending(columns)}) as rows_read
     from messages where ${between(columns)} and ${only} order by ${descending(columns)} limit ${READS}`,
    'workspace_id, key, archived, id',
  );
}

/** The same along the index of terms, joined with the messages. */
function alongTerms(terms: string) {
  const columns = 'workspace_id, term, archived, id';
  const entry = 'entry.workspace_id, entry.term, entry.archived, entry.entry_id';
  return byValue(
    terms,
    `select entry.workspace_id, entry.term, entry.archived, entry.entry_id, message.*, row_number() over (order by ${descending(entry)}) as rows_read
     from (
       select workspace_id, term, archived, id as entry_id from message_terms
       where ${between(columns)} order by ${descending(columns)} limit ${READS}
     ) as entry
     cross join lateral (
       select ${MESSAGE_COLUMNS}, ${LISTED} as listed from messages
       where messages.workspace_id = entry.workspace_id and messages.id = entry.entry_id and ${IN_RANGE} limit 1
     ) as message
     order by ${descending(entry)}`,
    'workspace_id, term, archived, entry_id',
  );
}

/** The same along the index of deliveries, joined with their messages. It contains the archived ones among the others. */
function alongDeliveries(integrations: string) {
  const columns = 'workspace_id, integration, message_id';
  const entry = 'entry.workspace_id, entry.integration, entry.message_id';
  const at = (id: string) => `(${WORKSPACE}, input.value, ${id})`;
  return byValue(
    integrations,
    `select entry.workspace_id, entry.integration, entry.message_id, message.*, row_number() over (order by ${descending(entry)}) as rows_read
     from (
       select ${columns} from deliveries
       where (${columns}) >= ${at(FROM)} and (${columns}) < ${at(BELOW)} order by ${descending(columns)} limit ${READS}
     ) as entry
     cross join lateral (
       select ${MESSAGE_COLUMNS}, ${LISTED} as listed from messages
       where messages.workspace_id = entry.workspace_id and messages.id = entry.message_id and ${IN_RANGE} limit 1
     ) as message
     order by ${descending(entry)}`,
    columns,
    '(values (true)) as once',
  );
}

function byValue(values: string, entries: string, order: string, shown = `unnest(${SHOWN}) as shown (archived)`) {
  return `
    select ${MESSAGE_COLUMNS}, listed, rows_read
    from (${values}) as input (value), ${shown}
    cross join lateral (
      select * from (${entries}) as entries where listed or rows_read = ${READS} order by ${descending(order)} limit ${ENOUGH}
    ) as found`;
}

function between(columns: string) {
  const at = (id: string) => `(${WORKSPACE}, input.value, shown.archived, ${id})`;
  return `(${columns}) >= ${at(FROM)} and (${columns}) < ${at(BELOW)} and ${IN_RANGE}`;
}

/** All messages, along the primary key. */
const EVERYTHING = `
  select ${MESSAGE_COLUMNS}, listed, rows_read from (
    select workspace_id, ${MESSAGE_COLUMNS}, ${LISTED} as listed, row_number() over (order by workspace_id desc, id desc) as rows_read
    from messages
    where (workspace_id, id) >= (${WORKSPACE}, ${FROM}) and (workspace_id, id) < (${WORKSPACE}, ${BELOW}) and ${IN_RANGE}
    order by workspace_id desc, id desc limit ${READS}
  ) as entries
  where listed or rows_read = ${READS} order by workspace_id desc, id desc limit ${ENOUGH}`;

/** One message by its id. `rows_read` is 0: a single read never ends a scan early. */
const exactly = (uuid: string) => `
  select ${MESSAGE_COLUMNS}, ${LISTED} as listed, 0::bigint as rows_read from messages
  where workspace_id = ${WORKSPACE} and id = ${uuid} and ${IN_RANGE} limit least(${READS}, ${ENOUGH})`;

const descending = (columns: string) =>
  columns
    .split(', ')
    .map((column) => `${column} desc`)
    .join(', ');

// SQL because each filter has its own statement, with one plan along one index of the partitions.
function accessPath(name: string, parts: AccessPath['parts'], ...queries: string[]) {
  const text = queries.map((query) => `(${query})`).join('\nunion all\n');
  return { statement: statement(`messaging.list_by_${name}`, text), parts };
}

const PROVIDER = `(providers -> 0 ->> 'provider')`;

const one =
  (condition: keyof MessageFilter): AccessPath['parts'] =>
  (filter) =>
    filter[condition] === undefined ? 0 : 1;
const SELECTIVE = {
  trace: accessPath(
    'trace',
    one('trace'),
    along('trace_id', 'select $16', 'trace_id is not null'),
    along('request_id', 'select $17::uuid', 'request_id is not null'),
    exactly('$17'),
  ),
  recipient: accessPath('recipient', one('recipient'), along('recipient', 'select $10')),
  tag: accessPath('tag', ({ tags }) => tags.length, alongTerms(`select 'tag:' || unnest($12::text[])`)),
  list: accessPath('list', one('list'), along('list_id', 'select $8', 'list_id is not null')),
  tenant: accessPath('tenant', one('tenant'), along('tenant_id', 'select $14', 'tenant_id is not null')),
  event: accessPath('event', one('event'), along('event', 'select $7', `event <> ''`)),
  notification: accessPath('notification', one('notification'), along('notification', 'select $9', `notification <> ''`)),
  status: accessPath('status', ({ statuses }) => statuses.length, along('status', 'select unnest($11::text[])')),
  provider: accessPath(
    'provider',
    ({ providers, integrations }) => 2 * providers.length + integrations.length,
    along(PROVIDER, 'select unnest($13::text[])', 'providers is not null'),
    alongTerms(`select 'provider:' || unnest($13::text[])`),
    alongDeliveries('select unnest($21::text[])'),
  ),
} satisfies Record<string, AccessPath>;
export const ACCESS_PATHS = {
  id: accessPath('id', one('messageUuid'), exactly('$18')),
  ...SELECTIVE,
  everything: accessPath('nothing', () => 1, EVERYTHING),
  /** Skips archived messages, however many. */
  everyStatus: accessPath(
    'every_status',
    () => MESSAGE_STATUSES.length,
    along('status', `select unnest('{${MESSAGE_STATUSES.join()}}'::text[])`),
  ),
};

/**
 * The access paths for a filter, probably the most selective first. Each works with every combination of conditions: the other conditions
 * are checked on the messages that it reads.
 */
export function accessPathsOf(filter: MessageFilter): AccessPath[] {
  const { id, everything, everyStatus } = ACCESS_PATHS;
  if (id.parts(filter) > 0) return [id];
  const paths = Object.values(SELECTIVE).filter((path) => path.parts(filter) > 0);
  if (paths.length > 0) return paths;
  return filter.archived ? [everything] : [everything, everyStatus];
}
