import type { Database } from '@tidings/persistence/database';
import type { ClaimStatements, DueStatements } from './due-statements';
import type { Claim, Leases } from './lease-renewer';
import { type OwnedRow, RoundRobinCursor } from './round-robin';
import { announceLateness, claimMetrics, workMetrics } from './work-metrics';
import { WORK_LEASE_MS } from './work-times';

/** Claims due rows of a table; owners are served round-robin where more are due than fit. */
export class DueQueue<Row extends OwnedRow> {
  private readonly cursor = new RoundRobinCursor();
  private readonly metrics = claimMetrics(this.statements.queue);

  constructor(
    protected readonly database: Database,
    private readonly statements: DueStatements,
    protected readonly leaseMs: number,
  ) {}

  /**
   * Claims up to `limit` due rows; each has a lease of `leaseMs`.
   * @param skipped rows to be skipped, where the queue has a condition on them.
   * @param full owners at their limit, as `ownerName`; their rows are skipped.
   */
  async claim(limit: number, skipped?: readonly string[], full: readonly string[] = []): Promise<Row[]> {
    const { oldest, roundRobin } = this.statements;
    const rows = await this.cursor.claim<Row>(limit, full, (owners) =>
      this.database.query<Row>(owners ? roundRobin : oldest, [limit, this.leaseMs, ...(owners ?? []), ...(skipped ? [skipped] : [])]),
    );
    this.metrics.claim(rows);
    if (rows.length === limit) this.wakeOthers();
    return rows;
  }

  /** Milliseconds until the next row not in `skipped` is due (0 or less: now); undefined where there is none. */
  async nextDueMs(skipped?: readonly string[]): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait_ms: number | null }>(this.statements.nextDue, skipped && [skipped]);
    return row?.wait_ms ?? undefined;
  }

  /** Calls `poll` when another process has more due rows than it can work on, or stops. Returns the function that ends this. */
  onWake(poll: () => void): () => void {
    return this.database.wakes.listen(this.statements.queue, poll);
  }

  /** Wakes the other processes: rows are due, or become due, that this one cannot work on now. A full claim does it too. */
  wakeOthers(): void {
    this.database.wakes.wakeOthers(this.statements.queue);
  }

  /** Wakes the other processes when this one has stopped: its rows are theirs. */
  leave(): Promise<void> {
    return this.database.wakes.leave(this.statements.queue);
  }
}

/** A queue whose claims have generations. */
export class ClaimQueue<Row extends OwnedRow> extends DueQueue<Row> implements Leases<Claim> {
  readonly work = workMetrics(this.claims.queue);

  constructor(
    database: Database,
    private readonly claims: ClaimStatements,
    leaseMs = WORK_LEASE_MS,
  ) {
    super(database, claims, leaseMs);
    announceLateness(claims.queue);
  }

  /** Renews the leases of slow work. */
  async renew(claims: readonly Claim[]): Promise<void> {
    await this.database.execute(this.claims.renew, [JSON.stringify(claims), this.leaseMs]);
  }
}
