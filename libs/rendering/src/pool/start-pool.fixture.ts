import { resolve } from 'node:path';
import type { TextsInput } from './jobs';
import { RenderPool, type RenderPoolOptions } from './render-pool';

/** Lets a thread of the pool run TypeScript. */
const EXEC_ARGV = ['-r', resolve(__dirname, '../../../testing/typescript-hook.cjs')];

const pools: RenderPool[] = [];

/** A pool of two threads that is closed when the test ends. */
export function startPool(options: RenderPoolOptions = {}): RenderPool {
  const pool = new RenderPool({ threads: 2, ...options, execArgv: EXEC_ARGV });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

export function textsOf(source: string, data: unknown = {}): TextsInput {
  return { texts: [{ source, escape: 'none' }], scope: { data } };
}

export const SMALL = textsOf('Hello {{name}}', { name: 'Jane' });

/** A text that takes as long as anything may: loops within a loop that print nothing. */
export const MONSTER = textsOf('{{#each a}}{{#each ../a}}{{#each ../../a}}{{set "x" @index}}{{/each}}{{/each}}{{/each}}', {
  a: Array.from({ length: 100_000 }, (_, i) => i),
});
