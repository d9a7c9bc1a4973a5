import { setMaxListeners } from 'node:events';
import { withLimit } from '@tidings/contracts/core/with-limit';
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

type Stop = 'timeout' | 'aborted';

/** The end of a wait in words. */
export function waited(why: Stop, timeoutMs: number): string {
  return why === 'timeout' ? `${timeoutMs} ms passed in waiting` : 'the call was aborted while waiting';
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

  constructor(private readonly settings: SmtpSettings) {
    // Every opening connection adds a listener.
    setMaxListeners(settings.connections, this.stopping.signal);
  }

  /**
   * The most recently used free connection, else the next to become free or to be opened. Rejects with `SmtpError`. The wait has a
   * timeout of its own, so that a long one does not shorten the call itself.
   */
  async acquire(signal: AbortSignal | undefined): Promise<SmtpConnection> {
    const free = this.idle.pop();
    if (free) {
      clearTimeout(free.idleTimer);
      return free;
    }
    if (this.waiting.size >= WAITING_MAX) throw new SmtpError('busy', 'connecting', `${WAITING_MAX} calls already wait for a connection`);
    let waiter!: Waiter;
    const connection = new Promise<SmtpConnection>((resolve, reject) => this.waiting.add((waiter = { resolve, reject })));
    this.openMore();
    const { timeoutMs } = this.settings;
    const since = performance.now();
    const stop = (why: Stop) => {
      // With a connection open meanwhile, the call waited for other calls.
      const wasUp = this.live > 0 || this.lastLost >= since;
      const error = new SmtpError(why === 'timeout' && wasUp ? 'busy' : why, 'connecting', `${waited(why, timeoutMs)} for a connection`);
      if (this.waiting.delete(waiter)) waiter.reject(error);
    };
    return withLimit({ timeoutMs, signal }, stop, () => connection);
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
    this.dropIdle();
    await Promise.all(this.leaving);
  }

  private offer(connection: SmtpConnection) {
    const [waiter] = this.waiting;
    if (waiter) {
      this.waiting.delete(waiter);
      waiter.resolve(connection);
      return;
    }
    connection.idleTimer = setTimeout(() => this.dismiss(connection), this.settings.idleMs).unref();
    this.idle.push(connection);
  }

  private openMore() {
    const { connections } = this.settings;
    while (this.opening < this.waiting.size && this.live + this.opening < connections && !this.stopping.signal.aborted) {
      if (this.live === 0 ? this.opening > 0 : performance.now() < this.openAfter) return;
      this.opening++;
      this.track(this.open());
    }
  }

  private async open() {
    let connection: SmtpConnection;
    try {
      connection = await openConnection(this.settings, this.stopping.signal);
    } catch (error) {
      this.opening--;
      this.openAfter = performance.now() + OPEN_PAUSE_MS;
      if (this.live > 0 || this.opening > 0) return;
      for (const waiter of this.waiting) waiter.reject(error as SmtpError);
      this.waiting.clear();
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

  private remove(connection: SmtpConnection) {
    this.live--;
    this.lastLost = performance.now();
    const position = this.idle.indexOf(connection);
    if (position >= 0) this.idle.splice(position, 1);
    this.openMore();
  }

  private dismiss(connection: SmtpConnection) {
    this.track(connection.quit());
  }

  private track(work: Promise<void>) {
    this.leaving.add(work);
    void work.finally(() => this.leaving.delete(work));
  }
}
