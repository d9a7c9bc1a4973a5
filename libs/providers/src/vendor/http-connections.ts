import { Client } from 'undici';
import type { Carrier, HttpCall } from './http-call';

/** Of one origin. */
const CONNECTIONS_MAX = 128;

/** A connection, which is opened for its first call, and again for a call after it was closed. */
export class Connection extends Client {
  /** Since it was opened. */
  answers = 0;

  constructor(origin: string, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => (this.answers = 0));
  }
}

/** Reused connections to one origin: each carries one call at a time, and the one used last is used first. */
export class ReusedConnections implements Carrier {
  private readonly all = new Set<Connection>();
  private readonly idle: Connection[] = [];
  private readonly waiting: HttpCall[] = [];
  private retired = false;

  constructor(
    private readonly origin: string,
    private readonly options: Client.Options,
  ) {}

  carry(call: HttpCall): void {
    const connection = this.idle.pop() ?? (this.all.size < CONNECTIONS_MAX ? this.open() : undefined);
    if (connection) call.start(connection);
    else this.waiting.push(call);
  }

  release(connection: Connection): void {
    if (connection.destroyed) this.all.delete(connection);
    else this.idle.push(connection);
    const next = this.waiting.shift();
    if (next) this.carry(next);
    else if (this.retired) void this.closeIdle();
  }

  /** Closes each connection once it carries no call. */
  retire(): void {
    this.retired = true;
    void this.closeIdle();
  }

  async close(): Promise<void> {
    await Promise.all([...this.all].map((connection) => connection.destroy()));
  }

  private async closeIdle(): Promise<void> {
    const idle = this.idle.splice(0);
    for (const connection of idle) this.all.delete(connection);
    await Promise.all(idle.map((connection) => connection.destroy()));
  }

  private open() {
    const connection = new Connection(this.origin, this.options);
    this.all.add(connection);
    return connection;
  }
}

/** Connections for one call each. */
export class SingleConnections implements Carrier {
  constructor(
    private readonly origin: string,
    private readonly options: Client.Options,
  ) {}

  carry(call: HttpCall): void {
    call.start(new Connection(this.origin, this.options));
  }

  release(connection: Connection): void {
    void connection.destroy();
  }
}
