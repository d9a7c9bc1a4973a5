import { setMaxListeners } from 'node:events';
import { openConnection } from './handshake';
import type { SmtpConnection } from './smtp-connection';
import { SmtpError } from './smtp-error';
import type { SmtpSettings } from './smtp-settings';

/** Calls that may wait for a connection; further ones end in a retry. */
const WAITING_MAX = 10_000;
/** Many servers limit the mails per connection; a new connection every thousand mails costs nothing. */
const MAILS_PER_CONNECTION_MAX = 1_000;
/** Pause after a refused connection while others are open: the server accepts no more for now. */
const OPEN_PAUSE_MS = 1_000;

interface Waiter {
  readonly resolve: (connection: SmtpConnection) => void;
  readonly reject: (error: SmtpError) => void;
}

/** The pending connection of `acquire`, and a function that ends the wait. */
interface Acquisition {
  readonly connection: Promise<SmtpConnection>;
  readonly cancel: (error: SmtpError) => void;
}

/**
 * Reusable connections to one server: opened when a call finds none free, at most `settings.connections`, closed when idle.
 * While none is open, only one is opened at a time, so a server that is down or refuses the login gets one attempt, not
 * twenty; its failure ends every waiting call.
 */
export class ConnectionPool {
  private readonly idle: SmtpConnection[] = [];
  private readonly waiting = new Set<Waiter>();
  private readonly stopping = new AbortController();
  private readonly leaving = new Set<Promise<void>>();
  private live = 0;
  private opening = 0;
  private openAfter = 0;
  /** When the last connection was lost, in `performance.now()` ms. */
  private lastLost = -Infinity;
  private sweep?: NodeJS.Timeout;

  constructor(private readonly settings: SmtpSettings) {
    // Every opening connection adds a listener.
    setMaxListeners(settings.connections, this.stopping.signal);
  }

  /** The most recently used free connection, else the next to become free or to be opened. Rejects with `SmtpError`. */
  acquire(): Acquisition {
    const free = this.idle.pop();
    if (free) return { connection: Promise.resolve(free), cancel: () => undefined };
    if (this.waiting.size >= WAITING_MAX) {
      const error = new SmtpError('busy', 'connecting', `${WAITING_MAX} calls already wait for a connection`);
      return { connection: Promise.reject(error), cancel: () => undefined };
    }

    let cancel: Acquisition['cancel'] = () => undefined;
    const connection = new Promise<SmtpConnection>((resolve, reject) => {
      const waiter = { resolve, reject };
      this.waiting.add(waiter);
      cancel = (error) => {
        if (this.waiting.delete(waiter)) reject(error);
      };
    });
    this.openMore();
    return { connection, cancel };
  }

  /** Whether a connection was open since `since` (`performance.now()` ms): then a call without one waited for other calls. */
  wasUpSince(since: number): boolean {
    return this.live > 0 || this.lastLost >= since;
  }

  /** Returns a connection after a call, in any state. */
  release(connection: SmtpConnection): void {
    if (!connection.isOpen) return;
    if (connection.mails >= MAILS_PER_CONNECTION_MAX) this.dismiss(connection);
    else this.offer(connection);
  }

  /** Closes every free connection: one of them was dead, and the others are as old. */
  dropIdle(): void {
    for (const connection of [...this.idle]) this.dismiss(connection);
  }

  /** Closes all connections. To be called when no call is open. */
  async close(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.sweep);
    this.dropIdle();
    await Promise.all(this.leaving);
  }

  private offer(connection: SmtpConnection): void {
    const [waiter] = this.waiting;
    if (waiter) {
      this.waiting.delete(waiter);
      waiter.resolve(connection);
      return;
    }
    connection.idleSince = performance.now();
    this.idle.push(connection);
    this.sweep ??= setTimeout(() => this.closeUnused(), this.settings.idleMs).unref();
  }

  private openMore(): void {
    const { connections } = this.settings;
    while (this.opening < this.waiting.size && this.live + this.opening < connections && !this.stopping.signal.aborted) {
      if (this.live === 0 ? this.opening > 0 : performance.now() < this.openAfter) return;
      this.opening++;
      this.track(this.open());
    }
  }

  private async open(): Promise<void> {
    let connection: SmtpConnection;
    try {
      connection = await openConnection(this.settings, this.stopping.signal);
    } catch (error) {
      this.opening--;
      this.openAfter = performance.now() + OPEN_PAUSE_MS;
      if (this.live === 0 && this.opening === 0) this.failWaiting(error as SmtpError);
      return;
    }
    this.opening--;
    this.live++;
    connection.onClosed = () => this.remove(connection);
    // The server may have closed the connection since its last reply.
    if (!connection.isOpen) this.remove(connection);
    else if (this.stopping.signal.aborted) this.dismiss(connection);
    else this.offer(connection);
    this.openMore();
  }

  private remove(connection: SmtpConnection): void {
    this.live--;
    this.lastLost = performance.now();
    const position = this.idle.indexOf(connection);
    if (position >= 0) this.idle.splice(position, 1);
    this.openMore();
  }

  private failWaiting(error: SmtpError): void {
    for (const waiter of this.waiting) waiter.reject(error);
    this.waiting.clear();
  }

  private dismiss(connection: SmtpConnection): void {
    this.track(connection.quit());
  }

  private track(work: Promise<void>): void {
    this.leaving.add(work);
    void work.finally(() => this.leaving.delete(work));
  }

  private closeUnused(): void {
    this.sweep = undefined;
    const { idleMs } = this.settings;
    const now = performance.now();
    for (const connection of [...this.idle]) {
      if (now - connection.idleSince >= idleMs) this.dismiss(connection);
    }
    const [oldest] = this.idle;
    if (oldest) this.sweep = setTimeout(() => this.closeUnused(), Math.max(1, oldest.idleSince + idleMs - now)).unref();
  }
}
