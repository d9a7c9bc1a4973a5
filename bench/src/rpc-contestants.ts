import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './bench';
import { type Broker, topicPrefix } from './broker';
import type { Stretch } from './callers';
import type { FastifyProfileCommands } from './floors/fastify-profile';
import type { KafkaAnswererCommands } from './floors/kafka-answerer';
import type { KafkaCallerCommands } from './floors/kafka-caller';
import { createTopics } from './floors/kafka-round-trip';
import type { NestGatewayCommands } from './floors/nest-gateway';
import { replyTopicOf } from './floors/nest-profiles';
import type { NestServiceCommands } from './floors/nest-service';
import { type CpuTimes, cpuBetween, perGroup, type ProcessGroup, ProcessUsage } from './process-usage';
import type { Product } from './product';
import { productDatabaseUrl, workspaceOfProfiles } from './product-database';
import type { ProfileLoadCommands } from './profile-load';
import { userId } from './send-request';
import { type Percentiles, percentilesOf } from './statistics';
import type { Worker } from './worker';

const FETCH_MS_MAX = 10_000;

export interface Measured {
  perSecond: number;
  /** ms from a request's start until its answer is whole. */
  latency: Percentiles;
  /** ms per request, of the servers it uses and its own Node processes; never of who asks it. */
  cpu: CpuTimes;
  requests: number;
  /** Answers that were not as they should be. */
  wrong: Map<string, number>;
}

/** Somebody who answers, and who is asked in turns with others. */
export interface Contestant {
  name: string;
  /** Where it answers HTTP; absent when it answers nothing but Kafka. */
  port?: number;
  /** What counts as its own; servers that are shared, and that it does not use, are not among `counted`. */
  usage: ProcessUsage;
  counted: readonly ProcessGroup[];
  ask(callers: number, durationMs: number): Promise<Stretch>;
  /** Lets go of what `ask` keeps open. */
  release(): Promise<void>;
}

/** What all contestants have in common. */
export interface Arena {
  bench: Bench;
  broker: Broker;
  product: Product;
  load: Worker<ProfileLoadCommands>;
}

export function productContestant({ product, load }: Arena, counted: readonly ProcessGroup[]): Contestant {
  return { name: 'Tidings', ...overHttp(load, product.port, product.key), usage: product.usage(), counted };
}

/** (a): a round trip and nothing else, by the recipe that the product follows. */
export async function bareRoundTrip({ bench, broker: { brokers, pids } }: Arena): Promise<Contestant> {
  const prefix = topicPrefix();
  const topics = { brokers, requests: `${prefix}requests`, replies: `${prefix}replies` };
  await createTopics(brokers, [topics.requests, topics.replies]);
  const answerer = bench.worker<KafkaAnswererCommands>('floors/kafka-answerer');
  const caller = bench.worker<KafkaCallerCommands>('floors/kafka-caller');
  await answerer.call('answer', topics);
  await caller.call('connect', topics);
  return {
    name: '(a) bare kafkajs round trip',
    usage: new ProcessUsage({ roots: [answerer.pid, caller.pid, ...pids] }),
    counted: ['node', 'kafka'],
    ask: (callers, durationMs) => caller.call('call', { callers, durationMs }),
    release: async () => {},
  };
}

/** (b): what one gets from Nest as it comes, on the product's own table. */
export async function stockNest({ bench, broker: { brokers, pids }, product, load }: Arena): Promise<Contestant> {
  const { dataDirectory, key } = product;
  const pattern = `${topicPrefix()}profiles.retrieve`;
  const source = { databaseUrl: productDatabaseUrl(dataDirectory), workspaceId: await workspaceOfProfiles(dataDirectory) };
  await createTopics(brokers, [pattern, replyTopicOf(pattern)]);
  const service = bench.worker<NestServiceCommands>('floors/nest-service');
  const gateway = bench.worker<NestGatewayCommands>('floors/nest-gateway');
  await service.call('answer', { brokers, pattern, ...source });
  const { port } = await gateway.call('listen', { brokers, pattern, key, workspaceId: source.workspaceId });
  return {
    name: '(b) stock Nest over Kafka',
    ...overHttp(load, port, key),
    usage: new ProcessUsage({ roots: [service.pid, gateway.pid, ...pids], dataDirectory }),
    counted: ['node', 'postgres', 'kafka'],
  };
}

/** (c): the GET in one process, without anything to pass through. */
export async function bareFastify({ bench, product: { dataDirectory, key }, load }: Arena): Promise<Contestant> {
  const server = bench.worker<FastifyProfileCommands>('floors/fastify-profile');
  const source = { databaseUrl: productDatabaseUrl(dataDirectory), workspaceId: await workspaceOfProfiles(dataDirectory) };
  const { port } = await server.call('listen', { ...source, key });
  return {
    name: '(c) bare Fastify and pg',
    ...overHttp(load, port, key),
    usage: new ProcessUsage({ roots: [server.pid], dataDirectory }),
    counted: ['node', 'postgres'],
  };
}

/** One stretch of questions, and what it cost. The lead opens the connections and is not measured. */
export async function measure(
  { usage, counted, ask, release }: Contestant,
  run: { callers: number; leadMs: number; stretchMs: number },
): Promise<Measured> {
  await ask(run.callers, run.leadMs);
  const before = usage.cpu();
  const { latencies, elapsedMs, wrong } = await ask(run.callers, run.stretchMs);
  const times = cpuBetween(before, usage.cpu());
  await release();
  const requests = latencies.length;
  return {
    perSecond: (requests * 1000) / elapsedMs,
    latency: percentilesOf(latencies),
    cpu: perGroup((group) => (counted.includes(group) ? times[group] / requests : 0)),
    requests,
    wrong,
  };
}

/** @throws when those that answer HTTP do not answer the same */
export async function assertSameAnswers(contestants: readonly Contestant[], key: string): Promise<void> {
  const answers = await Promise.all(
    contestants.flatMap(({ name, port }) => (port === undefined ? [] : [fetchProfile(port, key).then((answer) => ({ name, answer }))])),
  );
  for (const { name, answer } of answers) {
    if (isDeepStrictEqual(answer, answers[0]!.answer)) continue;
    throw new Error(`${name} answers ${JSON.stringify(answer)}, ${answers[0]!.name} ${JSON.stringify(answers[0]!.answer)}`);
  }
}

async function fetchProfile(port: number, key: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/profiles/${userId(0)}`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(FETCH_MS_MAX),
  });
  return { status: response.status, body: await response.json() };
}

function overHttp(load: Worker<ProfileLoadCommands>, port: number, key: string): Pick<Contestant, 'port' | 'ask' | 'release'> {
  return {
    port,
    ask: (connections, durationMs) => load.call('get', { port, key, connections, durationMs }),
    release: () => load.call('release', { port }),
  };
}
