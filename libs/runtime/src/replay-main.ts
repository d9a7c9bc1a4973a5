import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { readInstant } from '@tidings/contracts/core/instant';
import { groupNamed, resetGroup } from '@tidings/events/kafka/reset-group';
import type { TopicReader } from '@tidings/events/kafka/read-range';
import { rangesBetween, replayInto } from '@tidings/events/kafka/replay';
import { resetPostgresGroup } from '@tidings/events/postgres/reset-group';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { isUUID } from 'class-validator';
import type { Configuration } from './configuration';
import { ProgressLines, StateFile } from './long-command';
import { type CommandOutcome, INTERRUPTED, runCommand, UsageError } from './run-command';

const CLIENT_ID = 'tidings-replay';
const USAGE = `Usage: tidings replay TOPIC --from TIME [--to TIME] (--into TOPIC | --group GROUP) [--workspace ID] [--state FILE] [--json]
  TIME is ISO 8601: 2026-03-01T10:00:00Z`;
/** What has no other topics, and what serves instead. */
const NO_TOPICS = `The event log is in PostgreSQL, since KAFKA_BROKERS is not set: it has no topics outside the product to copy records into.
Read what consumers would get over HTTP (GET /messages, GET /messages/:message_id/history), or let a group of the product read again with --group.`;

interface Parameters {
  topic: string;
  fromMs: number;
  toMs?: number;
  into?: string;
  group?: string;
  workspace?: string;
  state?: string;
  json: boolean;
}

/** How far a run came, by partition. */
interface ReplayState {
  copied: number;
  leftOut: number;
  ranges: [partition: number, from: string, to: string][];
}

function parametersOf(args: string[]): Parameters {
  const { values, positionals } = parsed(args);
  const [topic, ...others] = positionals;
  const { into, group, workspace, state, json = false } = values;
  if (!topic || others.length > 0 || !values.from) throw new UsageError(USAGE);
  if ((into === undefined) === (group === undefined)) throw new UsageError(`Give either --into or --group.\n${USAGE}`);
  if (group !== undefined && [values.to, workspace, state].some((one) => one !== undefined))
    throw new UsageError(`A group is reset to a time: --to, --workspace and --state belong to --into.\n${USAGE}`);
  if (workspace !== undefined && !isUUID(workspace))
    throw new UsageError(`--workspace ${workspace} is not the id of a workspace.\n${USAGE}`);
  const toMs = values.to === undefined ? undefined : timeOf('--to', values.to);
  return { topic, fromMs: timeOf('--from', values.from), toMs, into, group, workspace: workspace?.toLowerCase(), state, json };
}

function parsed(args: string[]) {
  const text = { type: 'string' } as const;
  const options = { from: text, to: text, into: text, group: text, workspace: text, state: text, json: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

function timeOf(option: string, text: string) {
  const instant = readInstant(text);
  if (!instant) throw new UsageError(`${option} ${text} is not a time.\n${USAGE}`);
  return instant.getTime();
}

async function replay({ kafka, databaseUrl }: Configuration, parameters: Parameters, signal: AbortSignal): Promise<CommandOutcome> {
  if (kafka) return overKafka(kafka, parameters, signal);
  const { topic, group, fromMs, json } = parameters;
  if (group === undefined) throw new Error(NO_TOPICS);
  if (!databaseUrl) throw new Error('DATABASE_URL is missing: without KAFKA_BROKERS the groups are in PostgreSQL');
  const reset = await resetPostgresGroup(databaseUrl, topic, group, fromMs);
  const line = `Group ${group} continues after position ${reset.position} of ${topic}, instead of ${reset.before}`;
  return { lines: [json ? JSON.stringify({ topic, group, ...reset }) : line], exitCode: 0 };
}

async function overKafka(settings: KafkaSettings, parameters: Parameters, signal: AbortSignal): Promise<CommandOutcome> {
  const kafka = createKafkaClient(settings, CLIENT_ID);
  const admin = new KafkaAdmin(kafka);
  try {
    const topics = await admin.request((connected) => connected.listTopics());
    const topic = [`${settings.topicPrefix}${parameters.topic}`, parameters.topic].find((one) => topics.includes(one));
    if (topic === undefined) throw new Error(`There is no topic ${settings.topicPrefix}${parameters.topic}`);
    if (parameters.group !== undefined) return await reset(admin, topic, parameters.group, parameters);
    const into = parameters.into!;
    if (!topics.includes(into)) throw new Error(`There is no topic ${into}: create it first, with as many partitions as ${topic}`);
    if (into === topic) throw new Error(`${topic} is the source: records are copied into another topic`);
    return await copy({ kafka, admin, clientId: CLIENT_ID }, { topic, into }, parameters, signal);
  } finally {
    await admin.close();
  }
}

async function reset(admin: KafkaAdmin, topic: string, name: string, { fromMs, json }: Parameters): Promise<CommandOutcome> {
  const group = await groupNamed(admin, topic, name);
  const partitions = await resetGroup(admin, topic, group, fromMs);
  const lines = partitions.map(
    ({ partition, offset, before }) =>
      `  partition ${partition}: ${offset}, ${before === null ? 'where it had none' : `instead of ${before}`}`,
  );
  const text = [`Group ${group} continues in ${topic} at`, ...lines];
  return { lines: json ? [JSON.stringify({ topic, group, partitions })] : text, exitCode: 0 };
}

async function copy(
  reader: TopicReader,
  { topic, into }: { topic: string; into: string },
  { fromMs, toMs, workspace, state, json }: Parameters,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const command = ['replay', topic, fromMs, toMs, into, workspace].map((one) => one ?? '').join(' ');
  const file = new StateFile<ReplayState>(state, command);
  const progress = new ProgressLines();
  const earlier = file.read();
  const ranges = earlier
    ? new Map(earlier.ranges.map(([partition, from, to]) => [partition, { from: BigInt(from), to: BigInt(to) }]))
    : await rangesBetween(reader.admin, topic, fromMs, toMs);
  let { copied, leftOut } = earlier ?? { copied: 0, leftOut: 0 };
  const now = (): ReplayState => ({
    copied,
    leftOut,
    ranges: [...ranges].map(([partition, { from, to }]) => [partition, String(from), String(to)]),
  });
  const left = () => [...ranges.values()].reduce((sum, { from, to }) => sum + (to > from ? to - from : 0n), 0n);
  progress.say(`${earlier ? `Continuing: ${copied} records copied before, ` : ''}${left()} records of ${topic} to read`);
  if (!earlier) file.save(now());
  try {
    await replayInto(reader, {
      topic,
      into,
      ranges: new Map(ranges),
      accepts: ({ key }) => workspace === undefined || key?.subarray(0, workspace.length + 1).toString() === `${workspace}:`,
      onCopied: ({ partition, next, ...counted }) => {
        ranges.set(partition, { from: next, to: ranges.get(partition)!.to });
        copied += counted.copied;
        leftOut += counted.leftOut;
        file.note(now);
        progress.note(() => `${copied} records copied, ${left()} left to read`);
      },
      signal,
    });
  } catch (error) {
    file.save(now());
    const how = file.exists ? `run the command again with --state ${state} to continue` : 'without --state FILE, another run begins anew';
    if (!signal.aborted) throw new Error(`${(error as Error).message}. ${copied} records are copied; ${how}`, { cause: error });
    progress.say(`Interrupted after ${copied} records; ${how}`);
    return { lines: outcome(INTERRUPTED), exitCode: INTERRUPTED };
  }
  file.remove();
  return { lines: outcome(0), exitCode: 0 };

  function outcome(exitCode: number) {
    if (json) return [JSON.stringify({ topic, into, copied, left_out: leftOut, complete: exitCode === 0 })];
    return [
      `${copied} records of ${topic} copied into ${into}${workspace === undefined ? '' : `, ${leftOut} of other workspaces left out`}`,
    ];
  }
}

/** `tidings replay TOPIC --from TIME [--to TIME] (--into TOPIC | --group GROUP)` */
runCommand(
  'replay',
  'replay',
  () => process.env,
  ({ configuration, signal }) => replay(configuration, parametersOf(process.argv.slice(2)), signal),
  { logTo: 'stderr' },
);
