import { callRepeatedly, type CallTimings } from './callers';
import { HttpConnection } from './http-connection';
import { httpRequest, profileBody, USERS, userId } from './send-request';
import { serve } from './worker';

export interface ProfileTarget {
  port: number;
  key: string;
}

/** Commands of the process that requests profiles. */
export type ProfileLoadCommands = {
  /** Stores the requested users, the only ones of the workspace. */
  prepare(target: ProfileTarget & { connections: number }): Promise<void>;
  /** `GET /profiles/:user_id` over `connections` connections, one request in flight on each. */
  get(run: ProfileTarget & { connections: number; durationMs: number }): Promise<CallTimings>;
  /** Closes the connections to a port, which otherwise stay open between periods. */
  release(target: { port: number }): void;
};

const HOST = '127.0.0.1';
/** Makes a profile about as large as the messages of the bare round trip. */
const NOTES = 'Rings at the side door after six; parcels may be left with the neighbours on the first floor. '.repeat(9).trim();

/** By port. */
const open = new Map<number, HttpConnection[]>();

async function prepare({ port, key, connections }: ProfileTarget & { connections: number }): Promise<void> {
  const pool = connectionsTo(port, connections);
  let next = 0;
  const lane = async (connection: HttpConnection) => {
    for (let number = next++; number < USERS; number = next++) {
      const body = profileBody(number, { notes: NOTES });
      const status = await connection.send(httpRequest('PUT', `/profiles/${userId(number)}`, HOST, key, body));
      if (status !== 200) throw new Error(`PUT /profiles answered ${status}`);
    }
  };
  await Promise.all(pool.map(lane));
  release({ port });
}

function get({ port, key, connections, durationMs }: ProfileTarget & { connections: number; durationMs: number }): Promise<CallTimings> {
  const requests = Array.from({ length: USERS }, (_, number) => getRequest(number, key));
  const pool = connectionsTo(port, connections);
  let next = 0;
  return callRepeatedly(durationMs, connections, async (caller) => {
    try {
      const status = await pool[caller]!.send(requests[next++ % USERS]!);
      return status === 200 ? undefined : String(status);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  });
}

function connectionsTo(port: number, count: number): HttpConnection[] {
  const pool = open.get(port) ?? [];
  open.set(port, pool);
  while (pool.length < count) pool.push(new HttpConnection(HOST, port));
  return pool.slice(0, count);
}

const getRequest = (number: number, key: string): string =>
  `GET /profiles/${userId(number)} HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`;

function release({ port }: { port: number }): void {
  for (const connection of open.get(port) ?? []) connection.close();
  open.delete(port);
}

serve<ProfileLoadCommands>({ prepare, get, release });
