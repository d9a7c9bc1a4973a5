const COMMENT = /--[^\n]*|\/\*[^]*?\*\//g;
const NAME = String.raw`(?:"?\w+"?\.)?"?(\w+)"?`;
const CREATE_TABLE = new RegExp(String.raw`^create (?:unlogged )?table (?:if not exists )?${NAME}`, 'i');
const CREATE_INDEX = new RegExp(String.raw`^create (?:unique )?index (?!concurrently)(?:if not exists )?(?:\w+ )?on (?!only )${NAME}`, 'i');
const ALTER_TABLE = new RegExp(String.raw`^alter table (?:if exists )?(?:only )?${NAME} ([^]*)$`, 'i');
const CHANGE_ROWS = new RegExp(String.raw`^(?:with [^]*?\) )?(?:update|delete from|truncate(?: table)?) (?:only )?${NAME}`, 'i');
const DO_BLOCK = /^do \$(\w*)\$([^]*)\$\1\$$/i;
const VOLATILE = /default[^,]*\b(?:clock_timestamp|random|gen_random_uuid|nextval|timeofday)\s*\(/i;

/** What is wrong with a part of ALTER TABLE on a table that is in use. */
const ALTERATIONS: readonly [problem: string, rule: (action: string) => boolean][] = [
  [
    'adds a NOT NULL column without a default',
    (action) => isNewColumn(action) && /\bnot null\b/i.test(action) && !/\bdefault\b/i.test(action),
  ],
  [
    'adds a column whose values rewrite the table',
    (action) => isNewColumn(action) && (VOLATILE.test(action) || /\bgenerated\b|\b(?:big|small)?serial\b/i.test(action)),
  ],
  ['changes the type of a column', (action) => /^alter (?:column )?"?\w+"? (?:set data )?type\b/i.test(action)],
  ['reads the table for SET NOT NULL', (action) => /\bset not null\b/i.test(action)],
  [
    'builds the index of a constraint',
    (action) => /^add (?:constraint \S+ )?(?:primary key|unique|exclude)\b/i.test(action) && !/\busing index\b/i.test(action),
  ],
  [
    'validates a constraint',
    (action) =>
      /^add (?:constraint|check|foreign key)\b/i.test(action) && /\bcheck\b|\breferences\b/i.test(action) && !/\bnot valid\b/i.test(action),
  ],
  ['validates a constraint of a new column', (action) => isNewColumn(action) && /\bcheck\s*\(|\breferences\b/i.test(action)],
  ['removes what the version before uses', (action) => /^(?:drop (?!constraint|default|not null)|rename\b)/i.test(action)],
  ['reads the partition to attach it', (action) => /^attach partition\b/i.test(action)],
  ['rewrites the table', (action) => /^set (?:tablespace|logged|unlogged|access method)\b/i.test(action)],
];

const isNewColumn = (action: string) => /^add (?:column )?(?!constraint|check|primary|unique|foreign|exclude)/i.test(action);

/** Statements that no table in use can bear, whichever table it is. */
const FORBIDDEN: readonly [problem: string, form: RegExp][] = [
  ['locks a table', /^lock\b/i],
  ['rewrites a table', /^(?:cluster|vacuum full)\b/i],
  ['rebuilds an index without CONCURRENTLY', /^reindex (?!.*concurrently)/i],
  ['removes what the version before uses', /^drop (?:table|column|schema|sequence|function|type|view)\b/i],
  ['changes how long it waits for locks', /^set (?:local |session )?lock_timeout(?! = 0$| = 2000$)/i],
];

/**
 * What is wrong with a migration that runs while the version before works on the schema: it locks a table that existed before for longer
 * than a moment, or removes what that version uses. One sentence each; none for a migration that is fine.
 * @param statements its SQL, in order.
 */
export function problemsOfMigration(statements: readonly string[]): string[] {
  const created = new Set<string>();
  return statements.flatMap(split).flatMap((statement) => {
    const table = CREATE_TABLE.exec(statement)?.[1];
    if (table !== undefined) created.add(table);
    return problemsOf(statement, created);
  });
}

function problemsOf(statement: string, created: ReadonlySet<string>): string[] {
  const isInUse = (table: string | undefined) => table !== undefined && !created.has(table);
  const problems = FORBIDDEN.flatMap(([problem, form]) => (form.test(statement) ? [problem] : []));
  const indexed = CREATE_INDEX.exec(statement)?.[1];
  if (isInUse(indexed)) problems.push(`builds an index on ${indexed} without CONCURRENTLY`);
  const changed = CHANGE_ROWS.exec(statement)?.[1];
  if (isInUse(changed)) problems.push(`changes rows of ${changed} in one transaction`);
  const [, altered, actions = ''] = ALTER_TABLE.exec(statement) ?? [];
  if (isInUse(altered)) {
    for (const action of splitAt(actions, ','))
      problems.push(...ALTERATIONS.flatMap(([problem, rule]) => (rule(action) ? [`${problem} (${altered})`] : [])));
  }
  return problems;
}

/** The statements of a text, on one line each; those of an anonymous block by themselves. */
function split(text: string): string[] {
  return splitAt(text.replace(COMMENT, ' '), ';').flatMap((statement) => {
    const body = DO_BLOCK.exec(statement)?.[2];
    if (body === undefined) return [statement];
    return splitAt(body, ';').map((part) => part.replace(/^(?:begin|exception|when \w+ then)\s+/gi, ''));
  });
}

/** Parts between separators that are outside quotes, dollar quotes and parentheses. */
function splitAt(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[^]*?\$\1\$|[(),;]/g)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (token === separator && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.replace(/\s+/g, ' ').trim()).filter(Boolean);
}
