import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  /** The URL it was made for, leading through the proxy. */
  readonly url: string;
  /**
   * Cuts a connection as soon as its client has sent `text`: `before` it reaches the server, or `after` the server has
   * answered it. Every time, until told otherwise.
   */
  cutAt(text: string | undefined, when: 'before' | 'after'): void;
  /** Refuses new connections and cuts those that are open, or lets them in again. */
  setReachable(reachable: boolean): void;
  /** Keeps everything that is sent, both ways, without closing anything. */
  setSilent(silent: boolean): void;
  close(): Promise<void>;
}

/** Stands between a client and PostgreSQL and breaks connections at a chosen moment. */
export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let cut: { text: string; when: 'before' | 'after' } | undefined;
  let reachable = true;
  let silent = false;

  const server = createServer((client) => {
    if (!reachable) return void client.destroy();
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
      if (found && cut!.when === 'before') return end();
      cutAfterAnswer ||= found;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (silent) return;
      if (cutAfterAnswer) return end();
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    cutAt(text, when) {
      cut = text === undefined ? undefined : { text, when };
    },
    setReachable(value) {
      reachable = value;
      if (!value) for (const socket of sockets) socket.destroy();
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
