import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from './clock';
import { HttpConnection } from './http-connection';
import { httpRequest, profileBody, sendBody, type SendRequestOptions, USERS, userId } from './send-request';
import { serve } from './worker';

/** Consecutive connection errors that end a run: the server is unavailable. */
const FAILURES_MAX = 100;
const FAILURE_PAUSE_MS = 10;
/** Recorded instead of a status when the connection broke. */
const BROKEN = 0;

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

/** Commands of the load generator's process. */
export type LoadCommands = {
  /** Stores the users that sends go to. */
  prepare(target: { port: number; key: string; connections: number }): Promise<void>;
  send(run: LoadRun): Promise<LoadResult>;
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
  const result: LoadResult = {
    startedAt: new Float64Array(sends),
    answeredAt: new Float64Array(sends),
    statuses: new Uint16Array(sends),
  };
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

serve<LoadCommands>({ prepare, send });
