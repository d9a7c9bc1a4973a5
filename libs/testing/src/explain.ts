import type { Statement } from '@tidings/persistence/database';
import type { TestService } from './service';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Plan Rows': number;
  Plans?: PlanNode[];
}

/** Most rows that a plan may sort. */
export const SORTED_ROWS_MAX = 2_500;

/**
 * Fails when PostgreSQL would scan a whole table, or sort more than `SORTED_ROWS_MAX` rows, to run the statement with these
 * values. Meaningful only with filled and analyzed tables.
 */
export async function expectIndexed(sql: TestService['sql'], { name, text }: Statement, values: readonly unknown[]): Promise<void> {
  const [row] = await sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json) ${text}`, [...values]);
  const nodes = nodesOf(row!['QUERY PLAN'][0]!.Plan);
  const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
  const sorted = nodes.filter((node) => node['Node Type'].endsWith('Sort') && node['Plan Rows'] > SORTED_ROWS_MAX);
  expect({ statement: name, scanned, sorted: sorted.map((node) => node['Plan Rows']) }).toEqual({
    statement: name,
    scanned: [],
    sorted: [],
  });
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
