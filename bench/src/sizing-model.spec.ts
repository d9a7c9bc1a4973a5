import { type Costs, type Limits, simulate, sizingOf } from './sizing-model';

const COSTS: Costs = {
  apps: { gateway: 0.5, messaging: 1.5 },
  kafka: 0.5,
  postgres: 0.6,
  walBytes: 4_000,
  kafkaBytes: 6_000,
  storedBytes: 3_000,
};
const LIMITS: Limits = {
  utilisation: 0.5,
  postgresCores: 32,
  walBytesPerSecond: 100_000_000,
  partitions: 12,
  instancesMin: 2,
  connections: { messaging: 10 },
};

describe('the sizing of a rate', () => {
  it('fills each process to its utilisation and keeps two of each', () => {
    expect(sizingOf(1_000, COSTS, LIMITS)).toEqual({
      instances: { gateway: 2, messaging: 3 },
      kafkaCores: 1,
      postgresCores: 1.2,
      wal: 4_000_000,
      kafkaLog: 6_000_000,
      storedPerDay: 259_200_000_000,
      connections: 30,
      exceeded: [],
    });
  });

  it('names what ends', () => {
    expect(sizingOf(10_000, COSTS, LIMITS).exceeded).toEqual(['30 members of a group, 12 partitions']);
    expect(sizingOf(100_000, COSTS, LIMITS).exceeded).toEqual([
      '300 members of a group, 12 partitions',
      "PostgreSQL's CPU",
      "PostgreSQL's write-ahead log",
    ]);
  });
});

describe('the simulation', () => {
  const steady = { burstFactor: 1, burstEveryMs: 60_000, burstMs: 0, group: 1, durationMs: 2_000_000 };

  // M/M/1: the age is exponential with mean 1 / (service rate - arrival rate).
  it('agrees with the formula of one server', () => {
    const { p50, p99, busy } = simulate([{ name: 'one', servers: 1, msPerSend: 5 }], { ...steady, perSecond: 100 }, seeded(7));
    const mean = 1 / (1 / 5 - 1 / 10);

    expect(busy.one).toBeCloseTo(0.5, 1);
    expect(p50 / (mean * Math.LN2)).toBeCloseTo(1, 1);
    expect(p99 / (mean * Math.log(100))).toBeCloseTo(1, 0);
  });

  it('shows a stage that is too small', () => {
    const stages = [
      { name: 'wide', servers: 4, msPerSend: 5 },
      { name: 'narrow', servers: 1, msPerSend: 12 },
    ];
    const { p50, busy } = simulate(stages, { ...steady, durationMs: 60_000, perSecond: 100 }, seeded(7));

    expect(p50).toBeGreaterThan(1_000);
    expect(busy.narrow! / busy.wide!).toBeGreaterThan(4);
  });
});

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
