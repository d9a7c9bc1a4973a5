import type { DeadLetterRecord, DeadLettersStepped, DeadLetterSummary, LeftDeadLetter } from '@tidings/contracts/core/dead-letters';
import { type AdminClient, AdminError } from './admin-client';
import type { Arguments, Command } from './command';
import { table } from './table';

/** Above the steps of any number of dead letters that a topic retains. */
const STEPS_MAX = 100_000;

/** What is done with dead letters: as in the route, and in the past. */
const PAST = { redrive: 'redriven', discard: 'discarded' } as const;
type Treatment = keyof typeof PAST;

/** The commands for dead letters. */
export const DEAD_LETTER_COMMANDS: Readonly<Record<string, Command>> = {
  'dead-letters list': {
    usage: '[--topic TOPIC]',
    meaning: 'the records that no service could process and that wait, by topic, the oldest first',
    run: async (client, { options: { topic } }) => {
      const all = await client.items<DeadLetterSummary>('/dead-letters', { topic: topic as string | undefined });
      const rows = all.map(({ id, time, partition, offset, count, error }) => [id, time, `${partition}/${offset}`, String(count), error]);
      return { data: all, lines: table(['DEAD LETTER', 'SINCE', 'PARTITION/OFFSET', 'ATTEMPTS', 'ERROR'], rows) };
    },
  },
  'dead-letters show': {
    usage: 'ID',
    meaning: 'a dead letter with its record',
    run: async (client, { words: [id] }) => {
      const found = await client.request<DeadLetterRecord>('GET', pathOf(id!));
      const { headers = {}, value, ...fields } = found;
      const entries = [...Object.entries(fields), ...Object.entries(headers).map(([name, text]) => [`header ${name}`, text] as const)];
      const rows = entries.map(([name, text]) => [name, String(text)]);
      return { data: found, lines: [...table(['FIELD', 'VALUE'], rows), '', value ?? '(no value)'] };
    },
  },
  'dead-letters redrive': {
    usage: '[ID] [--all] [--topic TOPIC]',
    meaning: 'puts the record of one or of all dead letters back into its topic, byte by byte; can be repeated',
    run: (client, args, note) => treat(client, args, 'redrive', note),
  },
  'dead-letters discard': {
    usage: '[ID] [--all] [--topic TOPIC]',
    meaning: 'removes one or all dead letters; their records are missing',
    run: (client, args, note) => treat(client, args, 'discard', note),
  },
};

async function treat(client: AdminClient, { words: [id], options }: Arguments, treatment: Treatment, note: (line: string) => void) {
  const isAll = options.all === true;
  if (isAll === (id !== undefined) || (id !== undefined && options.topic !== undefined))
    throw new AdminError(`Name one dead letter, or --all: tidings dead-letters ${treatment} ID, or --all [--topic TOPIC]`);
  if (id === undefined) return treatAll(client, options.topic as string | undefined, treatment, note);
  if (treatment === 'redrive') await client.request('POST', `${pathOf(id)}/redrive`);
  else await client.request('DELETE', pathOf(id));
  return { data: { id }, lines: [`Dead letter ${id} is ${PAST[treatment]}`] };
}

/** All that wait now. What a step has done is done: after an interruption the command goes on with the others. */
async function treatAll(client: AdminClient, topic: string | undefined, treatment: Treatment, note: (line: string) => void) {
  const left: LeftDeadLetter[] = [];
  let done = 0;
  let cursor: string | undefined;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const result = await client.request<DeadLettersStepped>('POST', `/dead-letters/${treatment}`, { topic, cursor });
    done += result.done;
    left.push(...result.left);
    for (const one of result.left) note(one.error);
    if (result.next === undefined) break;
    note(`${done} ${PAST[treatment]}`);
    cursor = result.next;
  }
  const rest = left.length > 0 ? [`${left.length} could not be ${PAST[treatment]}`] : [];
  return { data: { [PAST[treatment]]: done, left }, lines: [`${done} ${PAST[treatment]}`, ...rest] };
}

function pathOf(id: string) {
  return `/dead-letters/${encodeURIComponent(id)}`;
}
