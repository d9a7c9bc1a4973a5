/** A filter as the builder has it: groups of conditions and groups. Further fields of a node stay. */
export type FilterNode = FilterGroup | FilterCondition;
export interface FilterGroup {
  operator: string;
  filters: readonly FilterNode[];
}
export interface FilterCondition {
  operator: string;
  path: string;
  value: unknown;
}

/** Conditions whose value may be several. */
const TAKES_SEVERAL = ['INCLUDES', 'OMIT'];
const COMPARES_DATES = ['IS_BEFORE', 'IS_AFTER'];
/** A date, or one with a time. */
const DATE = /^\d{4}-\d\d-\d\d(?:$|T\d\d:\d\d)/;
/** The path of a condition on tenants. */
const TENANT_PATH = 'account_id';
/** Groups in each other, the outermost included. */
export const GROUP_DEPTH_MAX = 10;

export const NEW_CONDITION: FilterCondition = { operator: 'EQ', path: '', value: '' };
export const NEW_GROUP: FilterGroup = { operator: 'OR', filters: [NEW_CONDITION] };

export const isGroup = (node: FilterNode): node is FilterGroup => 'filters' in node;
export const takesSeveral = (operator: string) => TAKES_SEVERAL.includes(operator);

/** The tree of a stored filter. The outermost node is a group; `beside` is the operator that stands beside the filter. */
export function treeOf(filter: object | null | undefined, beside = 'AND'): FilterGroup {
  if (!filter) return { operator: beside, filters: [] };
  const node = nodeOf(filter as Record<string, unknown>, beside);
  return isGroup(node) ? node : { operator: beside, filters: [node] };
}

function nodeOf({ rules, filters = rules, ...node }: Record<string, unknown>, beside = 'AND'): FilterNode {
  const operator = typeof node.operator === 'string' ? node.operator : undefined;
  if (Array.isArray(filters) && (filters.length > 0 || node.path === undefined)) {
    const members = (filters as unknown[]).map((one) => nodeOf(typeof one === 'object' && one !== null ? { ...one } : {}));
    return { ...node, operator: operator ?? beside, filters: members };
  }
  return { ...node, operator: operator ?? '', path: typeof node.path === 'string' ? node.path : '', value: node.value };
}

/** The filter of a tree, `null` without a condition. Empty groups are left out, and an outermost group of one is its member. */
export function filterOf(tree: FilterGroup): Record<string, unknown> | null {
  const pruned = prune(tree);
  if (!pruned) return null;
  const [only, ...others] = pruned.filters;
  return { ...(only && others.length === 0 ? only : pruned) };
}

function prune(group: FilterGroup): FilterGroup | undefined {
  const filters = group.filters.map((node) => (isGroup(node) ? prune(node) : node)).filter((node) => node !== undefined);
  return filters.length > 0 ? { ...group, filters } : undefined;
}

/** Whether each condition has what it needs. */
export function isComplete(node: FilterNode): boolean {
  if (isGroup(node)) return node.filters.every(isComplete);
  const { operator, path, value } = node;
  if (operator === '' || path.split('.').includes('')) return false;
  if (COMPARES_DATES.includes(operator)) return DATE.test(textOf(value));
  return operator === 'EXISTS' || (Array.isArray(value) ? value.length > 0 : textOf(value) !== '');
}

/** A condition with another operator: a value that it cannot have is replaced. */
export function withOperator(condition: FilterCondition, operator: string): FilterCondition {
  const { path, value } = condition;
  const isTenant = operator === 'MEMBER_OF';
  const wasTenant = condition.operator === 'MEMBER_OF';
  const one = Array.isArray(value) && !takesSeveral(operator) ? (value[0] as unknown) : value;
  const changed = operator === 'EXISTS' ? 'true' : condition.operator === 'EXISTS' ? '' : one;
  return { ...condition, operator, path: isTenant ? TENANT_PATH : wasTenant ? '' : path, value: changed };
}

/** A value as its field shows it: several have a line each. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The value that lines stand for: one, or several. */
export function valueOf(lines: string): string | string[] {
  const values = lines.split('\n');
  return values.length > 1 ? values : lines;
}
