import { systemTimers, type Timers } from '@tidings/runtime/timers';

/** An owner may hold this many times as many places as stay free for the others. */
const SHARE_OF_FREE = 2;
/** An owner may always hold this many, as long as there are any. */
const ALWAYS = 2;

/**
 * Places come free one by one, and a statement for each of them costs many times what one for all does: whoever could use more waits
 * so long for as many.
 */
export const ENOUGH_PERMITS = 64;
export const FEW_PLACES_WAIT_MS = 30;

/**
 * A bounded number of places, shared fairly by owners: whoever holds many leaves room for others, however many want them. One
 * owner alone gets two thirds.
 */
export class FairSemaphore {
  private free: number;
  private readonly held = new Map<string, number>();
  private waiting: (() => void)[] = [];

  constructor(
    readonly limit: number,
    private readonly timers: Timers = systemTimers,
  ) {
    this.free = limit;
  }

  /** How many more an owner may take now. */
  roomOf(owner: string): number {
    const held = this.held.get(owner) ?? 0;
    // With n more it has held + n, and free - n are left: held + n <= SHARE_OF_FREE * (free - n).
    const fair = Math.floor((SHARE_OF_FREE * this.free - held) / (SHARE_OF_FREE + 1));
    return Math.min(this.free, Math.max(fair, ALWAYS - held, 0));
  }

  /** Whether the owner got a place. */
  take(owner: string): boolean {
    if (this.roomOf(owner) === 0) return false;
    this.free -= 1;
    this.held.set(owner, (this.held.get(owner) ?? 0) + 1);
    return true;
  }

  /** Up to `wanted` places for nobody yet; each is then given to an owner, or back. */
  setAside(wanted: number): number {
    const places = Math.min(wanted, this.free);
    this.free -= places;
    return places;
  }

  /** Gives an owner a place that was set aside, whatever it holds. */
  give(owner: string): void {
    this.held.set(owner, (this.held.get(owner) ?? 0) + 1);
  }

  /** Gives back places that were set aside. */
  giveBack(places: number): void {
    if (places === 0) return;
    this.free += places;
    this.wake();
  }

  release(owner: string): void {
    const left = (this.held.get(owner) ?? 0) - 1;
    if (left < 0) throw new Error(`${owner} holds no place`);
    if (left === 0) this.held.delete(owner);
    else this.held.set(owner, left);
    this.giveBack(1);
  }

  /** Places that nobody holds. */
  get room(): number {
    return this.free;
  }

  /** Owners who may take no more now. */
  fullOwners(): string[] {
    return [...this.held.keys()].filter((owner) => this.roomOf(owner) === 0);
  }

  /** Resolves when a place was released, or after `waitMs`. */
  whenReleased(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.timers.setTimeout(() => {
        this.waiting = this.waiting.filter((one) => one !== wake);
        resolve();
      }, waitMs);
      const wake = (): void => {
        this.timers.clear(timer);
        resolve();
      };
      this.waiting.push(wake);
    });
  }

  private wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resume of waiting) resume();
  }
}
