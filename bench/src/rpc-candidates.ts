import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './bench';
import { type Broker, topicPrefix } from './broker';
import type { CallTimings } from './callers';
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
  /** ms from a request's start until its answer is complete. */
  latency: Percentiles;
  /** ms per request, of its servers and its own Node processes, without the load generator. */
  cpu: CpuTimes;
  requests: number;
  /** Wrong answers by what was answered. */
  wrong: Map<string, number>;
}

/** An implementation that is measured, alternating with others. */
export interface Candidate {
  name: string;
  /** HTTP port; absent when it answers over Kafka only. */
  port?: number;
  /** Usage of its processes; only the groups in `counted` belong to it, because servers are shared. */
  usage: ProcessUsage;
  counted: readonly ProcessGroup[];
  call(callers: number, durationMs: number): Promise<CallTimings>;
  /** Closes the connections that `call` left open. */
  release(): Promise<void>;
}

/** Resources that all candidates share. */
export interface RpcSetup {
  bench: Bench;
  broker: Broker;
  product: Product;
  load: Worker<ProfileLoadCommands>;
}

export function productCandidate({ product, load }: RpcSetup, counted: readonly ProcessGroup[]): Candidate {
  return { name: 'Tidings', ...overHttp(load, product.port, product.key), usage: product.usage(), counted };
}

/** (a): a bare round trip by the recipe that the product follows. */
export async function bareRoundTrip({ bench, broker: { brokers, pids } }: RpcSetup): Promise<Candidate> {
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
    call: (callers, durationMs) => caller.call('call', { callers, durationMs }),
    release: async () => {},
  };
}

/** (b): unmodified Nest over Kafka, on the product's own table. */
export async function unmodifiedNest({ bench, broker: { brokers, pids }, product, load }: RpcSetup): Promise<Candidate> {
  const { dataDirectory, key } = product;
  const pattern = `${topicPrefix()}profiles.retrieve`;
  const source = { databaseUrl: productDatabaseUrl(dataDirectory), workspaceId: await workspaceOfProfiles(dataDirectory) };
  await createTopics(brokers, [pattern, replyTopicOf(pattern)]);
  const service = bench.worker<NestServiceCommands>('floors/nest-service');
  const gateway = bench.worker<NestGatewayCommands>('floors/nest-gateway');
  await service.call('answer', { brokers, pattern, ...source });
  const { port } = await gateway.call('listen', { brokers, pattern, key, workspaceId: source.workspaceId });
  return {
    name: '(b) unmodified Nest over Kafka',
    ...overHttp(load, port, key),
    usage: new ProcessUsage({ roots: [service.pid, gateway.pid, ...pids], dataDirectory }),
    counted: ['node', 'postgres', 'kafka'],
  };
}

/** (c): the GET in one process, without a hop. */
export async function bareFastify({ bench, product: { dataDirectory, key }, load }: RpcSetup): Promise<Candidate> {
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

/** Measures one candidate for one period. The lead before it opens the connections and is not measured. */
export async function measure(
  { usage, counted, call, release }: Candidate,
  run: { callers: number; leadMs: number; periodMs: number },
): Promise<Measured> {
  await call(run.callers, run.leadMs);
  const before = usage.cpu();
  const { latencies, elapsedMs, wrong } = await call(run.callers, run.periodMs);
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

/** @throws when the candidates with HTTP give different answers */
export async function assertSameAnswers(candidates: readonly Candidate[], key: string): Promise<void> {
  const answers = await Promise.all(
    candidates.flatMap(({ name, port }) => (port === undefined ? [] : [fetchProfile(port, key).then((answer) => ({ name, answer }))])),
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

function overHttp(load: Worker<ProfileLoadCommands>, port: number, key: string): Pick<Candidate, 'port' | 'call' | 'release'> {
  return {
    port,
    call: (connections, durationMs) => load.call('get', { port, key, connections, durationMs }),
    release: () => load.call('release', { port }),
  };
}
