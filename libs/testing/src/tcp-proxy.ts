import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy in front of a server, which cuts connections on demand. */
export interface TcpProxy {
  /** The given URL, through the proxy. */
  readonly url: string;
  /**
   * Cuts a connection when its client sends `text`: `before` it reaches the server, or `after` the server has answered it. Applies
   * every time, until it is called with another text.
   */
  cutAt(text: string | undefined, when: 'before' | 'after'): void;
  /** Number of connections cut at the current text. */
  readonly cuts: number;
  /** With false: refuses new connections and cuts open ones. */
  setReachable(reachable: boolean): void;
  /** With true: ends each connection like a dying server, with a FATAL error in the packet of the preceding answer. */
  setDying(dying: boolean): void;
  /** Sends an unsolicited error to every client, without closing a connection. */
  interject(): void;
  /** New connections go to the server of this URL; open ones are cut. */
  setTarget(url: string): void;
  /** With true: drops all data in both directions, without closing a connection. */
  setSilent(silent: boolean): void;
  close(): Promise<void>;
}

const READY_FOR_QUERY = Buffer.from('Z\0\0\0\x05I', 'latin1');
const UNSOLICITED_ERROR = errorResponse({ S: 'ERROR', V: 'ERROR', C: 'XX000', M: 'unsolicited error' });
const FATAL_ERROR = errorResponse({ S: 'FATAL', V: 'FATAL', C: '57P01', M: 'terminating connection due to unexpected postmaster exit' });

function errorResponse(fields: Record<string, string>): Buffer {
  const text = Object.entries(fields).map(([code, value]) => `${code}${value}\0`);
  const body = Buffer.from(`${text.join('')}\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Starts a proxy between clients and PostgreSQL that can break connections at a chosen moment. */
export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let cut: { text: string; when: 'before' | 'after' } | undefined;
  let reachable = true;
  let silent = false;
  let dying = false;
  let cuts = 0;
  const clients = new Set<Socket>();

  const server = createServer((client) => {
    if (!reachable) return void client.destroy();
    clients.add(client);
    client.on('close', () => clients.delete(client));
    const upstream = connect(Number(target.port), target.hostname);
    let cutAfterAnswer = false;
    const end = () => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (data) => {
      if (silent) return;
      const found = cut !== undefined && data.includes(cut.text);
      if (found) cuts += 1;
      if (found && cut!.when === 'before') return end();
      cutAfterAnswer ||= found;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (silent) return;
      if (cutAfterAnswer) return end();
      if (dying && data.subarray(-READY_FOR_QUERY.length).equals(READY_FOR_QUERY)) {
        return void client.end(Buffer.concat([data, FATAL_ERROR]), () => upstream.destroy());
      }
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    get cuts() {
      return cuts;
    },
    cutAt(text, when) {
      cuts = 0;
      cut = text === undefined ? undefined : { text, when };
    },
    setReachable(value) {
      reachable = value;
      if (!value) for (const socket of sockets) socket.destroy();
    },
    setTarget(value) {
      target = new URL(value);
      for (const socket of sockets) socket.destroy();
    },
    interject() {
      for (const client of clients) client.write(UNSOLICITED_ERROR);
    },
    setDying(value) {
      dying = value;
    },
    setSilent(value) {
      silent = value;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
