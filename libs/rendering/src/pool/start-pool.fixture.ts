import { resolve } from 'node:path';
import type { PortableRenderInput } from './jobs';
import { RenderPool, type RenderPoolOptions } from './render-pool';

/** Enables TypeScript on pool threads. */
const EXEC_ARGV = ['-r', resolve(__dirname, '../../../testing/typescript-hook.cjs')];

/** Wall-time guard; most tests use the limit on core time. */
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
  await pool.run('w', 'render', SMALL);
  return pool;
}

/** A message whose title is the text. */
export function textOf(source: string, data: unknown = {}): PortableRenderInput {
  return { content: { title: source }, channel: 'sms', scope: { data } };
}

export const SMALL = textOf('Hello {{name}}', { name: 'Jane' });

/** A text that uses the whole step budget: nested loops without output. It ends by itself, on a fast machine soon. */
export const MONSTER = textOf('{{#each a}}{{#each ../a}}{{#each ../../a}}{{set "x" @index}}{{/each}}{{/each}}{{/each}}', {
  a: Array.from({ length: 100_000 }, (_, i) => i),
});

/** Runs for some hundredths of a second. */
export const LONG = textOf('{{#each a}}{{#each ../a}}{{set "x" @index}}{{/each}}{{/each}}', {
  a: Array.from({ length: 400 }, (_, i) => i),
});

/**
 * Runs for many seconds on any machine with little memory: compiles many different texts with the maximum number of parts. The
 * caller must end it.
 */
export const ENDLESS: PortableRenderInput = {
  ...textOf(''),
  content: { elements: Array.from({ length: 1_500 }, (_, n) => ({ type: 'action', content: `${n}${'{{!}}'.repeat(4_900)}`, href: '' })) },
};
