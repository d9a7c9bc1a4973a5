import { setMaxListeners } from 'node:events';
import { openConnection } from './handshake';
import type { SmtpConnection } from './smtp-connection';
import { SmtpError } from './smtp-error';
import type { SmtpSettings } from './smtp-settings';

/** Calls that may wait for a connection; more are turned away with a retry. */
const WAITING_MAX = 10_000;
/** Many servers count mails per connection and turn unfriendly; a new connection every thousand mails costs nothing. */
const MAILS_PER_CONNECTION_MAX = 1_000;
/** After a refused connection beside others that live, the server evidently wants no more for the moment. */
const GROWTH_PAUSE_MS = 1_000;

interface Waiter {
  readonly resolve: (connection: SmtpConnection) => void;
  readonly reject: (error: SmtpError) => void;
}

/** What `acquire` gives: the connection to come, and a way to stop waiting for it. */
interface Acquisition {
  readonly connection: Promise<SmtpConnection>;
  readonly cancel: (error: SmtpError) => void;
}

/**
 * Kept connections to one server: opened when a call finds none free, at most `settings.connections`, closed when idle.
 * While none is alive only one is tried at a time, so a server that is down or refuses our login meets one attempt, not
 * twenty; its failure ends every call that waits.
 */
export class ConnectionPool {
  private readonly idle: SmtpConnection[] = [];
  private readonly waiting = new Set<Waiter>();
  private readonly stopping = new AbortController();
  private readonly leaving = new Set<Promise<void>>();
  private live = 0;
  private opening = 0;
  private growAfter = 0;
  /** When the last connection was lost, in `performance.now()` ms. */
  private lastLost = -Infinity;
  private sweep?: NodeJS.Timeout;

  constructor(private readonly settings: SmtpSettings) {
    // Every connection that is being opened listens.
    setMaxListeners(settings.connections, this.stopping.signal);
  }

  /** The most recently used free connection, else the next to become free or to be opened. Rejects with `SmtpError`. */
  acquire(): Acquisition {
    const kept = this.idle.pop();
    if (kept) return { connection: Promise.resolve(kept), cancel: () => undefined };
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
    this.grow();
    return { connection, cancel };
  }

  /** Whether there was a connection at any time since `since` (`performance.now()` ms): who waited in vain waited for other calls. */
  wasUpSince(since: number): boolean {
    return this.live > 0 || this.lastLost >= since;
  }

  /** Gives a connection back after a call, in whatever state it is. */
  release(connection: SmtpConnection): void {
    if (!connection.isOpen) return;
    if (connection.mails >= MAILS_PER_CONNECTION_MAX) this.dismiss(connection);
    else this.offer(connection);
  }

  /** Closes every free connection: one of them was found dead, and they are of an age. */
  dropIdle(): void {
    for (const connection of [...this.idle]) this.dismiss(connection);
  }

  /** Closes everything. To be called when no call is open. */
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

  private grow(): void {
    const { connections } = this.settings;
    while (this.opening < this.waiting.size && this.live + this.opening < connections && !this.stopping.signal.aborted) {
      if (this.live === 0 ? this.opening > 0 : performance.now() < this.growAfter) return;
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
      this.growAfter = performance.now() + GROWTH_PAUSE_MS;
      if (this.live === 0 && this.opening === 0) this.failWaiting(error as SmtpError);
      return;
    }
    this.opening--;
    this.live++;
    connection.onClosed = () => this.forget(connection);
    // The server may have hung up between its last reply and now.
    if (!connection.isOpen) this.forget(connection);
    else if (this.stopping.signal.aborted) this.dismiss(connection);
    else this.offer(connection);
    this.grow();
  }

  private forget(connection: SmtpConnection): void {
    this.live--;
    this.lastLost = performance.now();
    const position = this.idle.indexOf(connection);
    if (position >= 0) this.idle.splice(position, 1);
    this.grow();
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
