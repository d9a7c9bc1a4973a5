/** What a round kills: the product's process, it and PostgreSQL, or the postmaster alone, which the process survives. */
export type Victim = 'node' | 'node and PostgreSQL' | 'the postmaster alone';

const VICTIMS: readonly Victim[] = ['node', 'node and PostgreSQL', 'the postmaster alone'];
/** Sends go on so long before a kill, and after the product is back, at most. */
const BEFORE_MS_MAX = 2_000;
const AFTER_MS_MAX = 1_500;
/** The postmaster is killed up to so often more, soon after it is back: while connections are being made. */
const AGAIN_MAX = 2;
const AGAIN_MS_MAX = 800;

export interface Round {
  number: number;
  victim: Victim;
  beforeMs: number;
  /** Of the postmaster alone: so long after it is back it is killed again, each time. */
  againMs: number[];
  afterMs: number;
}

/** The rounds of a storm; the same seed makes the same ones. */
export function planStorm(seed: number, rounds: number): Round[] {
  const random = randomFrom(seed);
  const upTo = (max: number): number => Math.floor(random() * max);
  return Array.from({ length: rounds }, (_, index) => {
    const victim = VICTIMS[upTo(VICTIMS.length)]!;
    const times = victim === 'the postmaster alone' ? upTo(AGAIN_MAX + 1) : 0;
    return {
      number: index + 1,
      victim,
      beforeMs: upTo(BEFORE_MS_MAX),
      againMs: Array.from({ length: times }, () => upTo(AGAIN_MS_MAX)),
      afterMs: upTo(AFTER_MS_MAX),
    };
  });
}

/** Numbers in [0, 1): mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
