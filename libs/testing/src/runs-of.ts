import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import type { Statement } from '@tidings/persistence/database';

/** A statement that was run, with its values. Statements of TypeORM are named by their text. */
export type Run = [statement: Statement, values: readonly unknown[]];

const READS_OR_WRITES = /^\s*(?:select|insert|update|delete|with)\b/i;

/**
 * The statements that `work` runs on its own connections' pools, in order: prepared ones and those of TypeORM. Statements that the
 * service runs concurrently, such as polling, are excluded.
 */
export async function runsOf(work: () => Promise<unknown>): Promise<Run[]> {
  const runs: Run[] = [];
  const inWork = new AsyncLocalStorage<true>();
  const query = Client.prototype.query as (...parameters: unknown[]) => unknown;
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const [given, listed = []] = parameters as [string | (Partial<Statement> & { text: string; values?: unknown[] }), unknown[]?];
    const { name, text, values = listed } = typeof given === 'string' ? { text: given } : given;
    if (inWork.getStore() && READS_OR_WRITES.test(text)) runs.push([{ name: name ?? text, text }, values]);
    return query.apply(this, parameters);
  });
  try {
    await inWork.run(true, work);
  } finally {
    jest.restoreAllMocks();
  }
  return runs;
}
