import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from './clock';
import { HttpConnection } from './http-connection';
import { httpRequest, profileBody, sendBody, type SendRequestOptions, USERS, userId } from './send-request';
import { serve } from './worker';

/** Consecutive connection errors that end a run: the server is unavailable. */
const FAILURES_MAX = 100;
const FAILURE_PAUSE_MS = 10;
/** Pauses of an SDK before it repeats a request: each twice the one before. */
const RETRY_PAUSE_MS = 500;
/** Recorded instead of a status when the connection broke. */
const BROKEN = 0;
/** The attempt before is still being worked on; the SDKs repeat this answer too. */
const CONFLICT = 409;

export interface LoadRun extends SendRequestOptions {
  port: number;
  key: string;
  run: number;
  sends: number;
  connections: number;
  /** Sends per second; absent: as fast as answers come. */
  rate?: number;
}

export interface LoadResult {
  /** Start and answer of each request by `monotonicMs()`. */
  startedAt: Float64Array;
  answeredAt: Float64Array;
  /** HTTP status of each; 0 when the connection broke. */
  statuses: Uint16Array;
}

/** Sends over several gateways, as a load balancer and clients that repeat make them. */
export interface BalancedRun extends Omit<LoadRun, 'port' | 'connections'> {
  ports: readonly number[];
  rate: number;
  /** Connections to each gateway. */
  connections: number;
  /** Attempts of a client at a request that broke or was answered with 409 or 5xx, all with one `Idempotency-Key`. */
  attempts: number;
}

/** Commands of the load generator's process. */
export type LoadCommands = {
  /** Stores the users that sends go to. */
  prepare(target: { port: number; key: string; connections: number }): Promise<void>;
  send(run: LoadRun): Promise<LoadResult>;
  /** Times run from when a request was due, whether or not a connection was free then; the status is that of the last attempt. */
  sendBalanced(run: BalancedRun): Promise<LoadResult>;
};

const HOST = '127.0.0.1';

async function prepare({ port, key, connections }: { port: number; key: string; connections: number }): Promise<void> {
  let next = 0;
  await overConnections(port, connections, async (connection) => {
    for (let number = next++; number < USERS; number = next++) {
      const status = await connection.send(httpRequest('PUT', `/profiles/${userId(number)}`, HOST, key, profileBody(number)));
      if (status >= 300) throw new Error(`PUT /profiles answered ${status}`);
    }
  });
}

async function send({ port, key, run, sends, connections, rate, ...options }: LoadRun): Promise<LoadResult> {
  const result = emptyResult(sends);
  const runStartedAt = monotonicMs();
  let next = 0;
  let failures = 0;
  await overConnections(port, connections, async (connection) => {
    for (let number = next++; number < sends; number = next++) {
      const request = httpRequest('POST', '/send', HOST, key, sendBody(run, number, options));
      if (rate) await untilTime(runStartedAt + (number * 1000) / rate);
      result.startedAt[number] = monotonicMs();
      try {
        result.statuses[number] = await connection.send(request);
        failures = 0;
      } catch (error) {
        result.statuses[number] = BROKEN;
        if (++failures > FAILURES_MAX) throw error;
        await delay(FAILURE_PAUSE_MS);
      }
      result.answeredAt[number] = monotonicMs();
    }
  });
  return result;
}

async function sendBalanced({ ports, key, run, sends, connections, rate, attempts, ...options }: BalancedRun): Promise<LoadResult> {
  const result = emptyResult(sends);
  const runStartedAt = monotonicMs();
  const idle = Array.from({ length: connections }, () => ports.map((port) => new HttpConnection(HOST, port)));
  const all = idle.flat();
  const free: ((connections: HttpConnection[]) => void)[] = [];
  const sending = new Set<Promise<void>>();
  const one = async (number: number): Promise<void> => {
    const own = idle.pop() ?? (await new Promise<HttpConnection[]>((resolve) => free.push(resolve)));
    const request = httpRequest('POST', '/send', HOST, key, sendBody(run, number, options), `Idempotency-Key: soak-${run}-${number}\r\n`);
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await delay(RETRY_PAUSE_MS * 2 ** (attempt - 1));
      result.statuses[number] = await sendToOne(own, number + attempt, request);
      if (!isRepeated(result.statuses[number])) break;
    }
    result.answeredAt[number] = monotonicMs();
    const next = free.shift();
    if (next) next(own);
    else idle.push(own);
  };
  try {
    for (let number = 0; number < sends; number++) {
      const dueAt = runStartedAt + (number * 1000) / rate;
      await untilTime(dueAt);
      result.startedAt[number] = dueAt;
      const sent = one(number);
      sending.add(sent);
      void sent.finally(() => sending.delete(sent));
    }
    await Promise.all(sending);
  } finally {
    for (const connection of all) connection.close();
  }
  return result;
}

/** As a load balancer: to the next gateway at once where one accepts no connection. Resolves with the status. */
async function sendToOne(connections: readonly HttpConnection[], first: number, request: string): Promise<number> {
  for (let at = 0; at < connections.length; at++) {
    const connection = connections[(first + at) % connections.length]!;
    if (await connection.connect().catch(() => false)) return connection.send(request).catch(() => BROKEN);
  }
  return BROKEN;
}

const isRepeated = (status: number): boolean => status === BROKEN || status === CONFLICT || status >= 500;

function emptyResult(sends: number): LoadResult {
  return { startedAt: new Float64Array(sends), answeredAt: new Float64Array(sends), statuses: new Uint16Array(sends) };
}

async function overConnections(port: number, count: number, work: (connection: HttpConnection) => Promise<void>): Promise<void> {
  const connections = Array.from({ length: count }, () => new HttpConnection(HOST, port));
  try {
    await Promise.all(connections.map(work));
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function untilTime(time: number): Promise<void> {
  const waitMs = time - monotonicMs();
  if (waitMs >= 1) await delay(waitMs);
}

serve<LoadCommands>({ prepare, send, sendBalanced });
