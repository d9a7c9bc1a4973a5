import { systemTimers, type Timers } from '@tidings/runtime/timers';

/** An owner may hold this many times as many permits as stay free for the others. */
const SHARE_OF_FREE = 2;
/** An owner may always hold this many, as long as any are free. */
const ALWAYS = 2;

/**
 * Permits come free one by one, and one statement per permit costs many times one statement for all of them. A caller that could use more
 * than are free waits up to `FEW_PERMITS_WAIT_MS` for `ENOUGH_PERMITS`.
 */
export const ENOUGH_PERMITS = 64;
export const FEW_PERMITS_WAIT_MS = 30;

/** Semaphore with fair shares per owner: however many owners want permits, some stay free for others. A lone owner gets two thirds. */
export class FairSemaphore {
  private free = this.limit;
  private readonly permitsBy = new Map<string, number>();
  private readonly waiting = new Set<() => void>();

  constructor(
    readonly limit: number,
    private readonly timers: Timers = systemTimers,
  ) {}

  /** How many more permits an owner may acquire now. */
  availableTo(owner: string): number {
    const acquired = this.permitsBy.get(owner) ?? 0;
    // With n more it has acquired + n, and free - n are left: acquired + n <= SHARE_OF_FREE * (free - n).
    const fair = Math.floor((SHARE_OF_FREE * this.free - acquired) / (SHARE_OF_FREE + 1));
    return Math.min(this.free, Math.max(fair, ALWAYS - acquired, 0));
  }

  /** Whether the owner got a permit. */
  acquire(owner: string): boolean {
    if (this.availableTo(owner) === 0) return false;
    this.free -= 1;
    this.assign(owner);
    return true;
  }

  /** Reserves up to `wanted` permits without an owner and returns how many; each is then assigned to an owner, or returned. */
  reserve(wanted: number): number {
    const permits = Math.min(wanted, this.free);
    this.free -= permits;
    return permits;
  }

  /** Gives an owner a reserved permit, beyond its share if need be. */
  assign(owner: string): void {
    this.permitsBy.set(owner, (this.permitsBy.get(owner) ?? 0) + 1);
  }

  /** Returns reserved permits. */
  returnReserved(permits: number): void {
    if (permits === 0) return;
    this.free += permits;
    for (const wake of this.waiting) wake();
  }

  release(owner: string): void {
    const left = (this.permitsBy.get(owner) ?? 0) - 1;
    if (left < 0) throw new Error(`${owner} holds no permit`);
    if (left === 0) this.permitsBy.delete(owner);
    else this.permitsBy.set(owner, left);
    this.returnReserved(1);
  }

  /** Free permits. */
  get available(): number {
    return this.free;
  }

  /** Owners that may acquire no more now. */
  fullOwners(): string[] {
    return [...this.permitsBy.keys()].filter((owner) => this.availableTo(owner) === 0);
  }

  /** Resolves when a permit was released, or after `waitMs`. */
  whenReleased(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.timers.clear(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = this.timers.setTimeout(wake, waitMs);
      this.waiting.add(wake);
    });
  }
}
