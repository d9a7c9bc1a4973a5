/** Processes that a round kills: node, node and PostgreSQL, or the postmaster alone, which node survives. */
export type Victim = 'node' | 'node and PostgreSQL' | 'the postmaster alone';

const VICTIMS: readonly Victim[] = ['node', 'node and PostgreSQL', 'the postmaster alone'];
/** Upper bounds of the time of sends before a kill, and after the restart. */
const BEFORE_MS_MAX = 2_000;
const AFTER_MS_MAX = 1_500;
/** Upper bounds of repeated kills of the postmaster after its restart, while clients reconnect. */
const AGAIN_MAX = 2;
const AGAIN_MS_MAX = 800;

export interface Round {
  number: number;
  victim: Victim;
  beforeMs: number;
  /** Times after each restart at which the postmaster alone is killed again. */
  againMs: number[];
  afterMs: number;
}

/** Rounds of a storm, determined by the seed. */
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

/** Random numbers in [0, 1) by mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
