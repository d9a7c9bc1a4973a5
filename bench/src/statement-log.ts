import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { findCluster } from './process-usage';
import { BENCH_NAME, withSettings } from './product-database';

/** Logs each completed statement, without its parameters. */
const SETTINGS = { log_min_duration_statement: '0', log_parameter_max_length: '0', log_line_prefix: '%a|%x|' };
/** Of a statement with parameters, parse and bind are logged too; only its execution is counted. */
const EXECUTED = /^([^|\n]*)\|(\d+)\|LOG: {2}duration: [\d.]+ ms {2}(?:execute ([^\s:]+)|statement):\s*(.*)$/gm;
const UNNAMED = '<unnamed>';
/** Of a statement that has written nothing. */
const NO_TRANSACTION = '0';

export interface Executed {
  /** Executions by the statement's name, of unnamed ones by their first line. */
  statements: Map<string, number>;
  /** Transactions that wrote. PostgreSQL's own counter of commits also has those that read, and each arrival of a notification. */
  writingCommits: number;
}

/**
 * Counts what the product's PostgreSQL executes during `work` by its log, because `pg_stat_statements` needs a restart. The log
 * costs time: times of `work` mean nothing.
 */
export async function countStatements(dataDirectory: string, work: () => Promise<void>): Promise<Executed> {
  const file = path.join(findCluster(dataDirectory)!, '../postgres.log');
  const from = statSync(file).size;
  await withSettings(dataDirectory, SETTINGS, work);
  const statements = new Map<string, number>();
  const writing = new Set<string>();
  for (const [, application, transaction, name = UNNAMED, sql] of readFileSync(file).subarray(from).toString().matchAll(EXECUTED)) {
    if (application === BENCH_NAME) continue;
    const key = name === UNNAMED ? sql! : name;
    statements.set(key, (statements.get(key) ?? 0) + 1);
    if (transaction !== NO_TRANSACTION) writing.add(transaction!);
  }
  return { statements, writingCommits: writing.size };
}
