import { resolve } from 'node:path';
import type { TextsInput } from './jobs';
import { RenderPool, type RenderPoolOptions } from './render-pool';

/** Lets a thread of the pool run TypeScript. */
const EXEC_ARGV = ['-r', resolve(__dirname, '../../../testing/typescript-hook.cjs')];

/** A guard against hanging: what is tested is mostly the limit of a job's time on a core. */
const OVERDUE_MS = 60_000;

const pools: RenderPool[] = [];

/** A pool of two threads that is closed when the test ends. */
export function startPool(options: RenderPoolOptions = {}): RenderPool {
  const pool = new RenderPool({ threads: 2, overdueMs: OVERDUE_MS, ...options, execArgv: EXEC_ARGV });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** A pool of one thread that has started. */
export async function startThread(timeLimitMs: number): Promise<RenderPool> {
  const pool = startPool({ threads: 1, timeLimitMs });
  await pool.run('w', 'texts', SMALL);
  return pool;
}

/** What the work took of the machine's cores: time in which this process has none is not counted. */
export async function cpuMsOf(work: Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function textsOf(source: string, data: unknown = {}): TextsInput {
  return { texts: [{ source, escape: 'none' }], scope: { data } };
}

export const SMALL = textsOf('Hello {{name}}', { name: 'Jane' });

/** A text that takes as many steps as anything may: loops within a loop that print nothing. It ends by itself, on a quick machine soon. */
export const MONSTER = textsOf('{{#each a}}{{#each ../a}}{{#each ../../a}}{{set "x" @index}}{{/each}}{{/each}}{{/each}}', {
  a: Array.from({ length: 100_000 }, (_, i) => i),
});

/** Takes some hundredths of a second. */
export const LONG = textsOf('{{#each a}}{{#each ../a}}{{set "x" @index}}{{/each}}{{/each}}', {
  a: Array.from({ length: 400 }, (_, i) => i),
});

/**
 * Takes many seconds on any machine, and hardly any memory: many texts are read first, each different and of as many parts as one may
 * have. Whoever runs it ends it.
 */
export const ENDLESS: TextsInput = {
  texts: Array.from({ length: 1_500 }, (_, n) => ({ source: `${n}${'{{!}}'.repeat(4_900)}`, escape: 'none' })),
  scope: { data: {} },
};
