import type { KafkaRight } from '@tidings/kafka/acls';
import { consumerAccess, KAFKA_ROLES, kafkaAccess, kafkaPrincipalOf } from './kafka-access';

/** The principal and the group of a reader of the history in the examples. */
const READER = { principal: 'history-reader', group: 'message-history-printer' };

/** The generated part of docs/kafka-access.md: the rights of each role, and of a reader of the history, as a table and as commands. */
export function kafkaAccessSection(): string {
  return [
    '## The roles',
    ...KAFKA_ROLES.map((role) => `### ${role}\n\n${rightsOf(kafkaPrincipalOf(role), kafkaAccess(role))}`),
    '## Readers of the history',
    rightsOf(READER.principal, consumerAccess(READER.group)),
  ].join('\n\n');
}

function rightsOf(principal: string, rights: readonly KafkaRight[]) {
  return `${tableOf(rights)}\n\n\`\`\`sh\n${commandsFor(principal, rights)}\n\`\`\``;
}

/** In the layout of prettier. */
function tableOf(rights: readonly KafkaRight[]) {
  const rows = rights.map(({ resource, name, pattern, operations }) => [
    resource,
    pattern === 'prefixed' ? `\`${name}\`…` : `\`${name}\``,
    operations.join(', '),
  ]);
  const head = ['resource', 'name', 'operations'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Rights with the same operations on the same kind of resource are one command. Calls the function `allow` of the page. */
function commandsFor(principal: string, rights: readonly KafkaRight[]) {
  const commands = new Map<string, KafkaRight[]>();
  for (const right of rights) {
    const kind = [right.resource, right.pattern, ...right.operations].join();
    commands.set(kind, [...(commands.get(kind) ?? []), right]);
  }
  return [...commands.values()].map((together) => commandOf(principal, together)).join('\n');
}

function commandOf(principal: string, rights: readonly KafkaRight[]) {
  const { resource, pattern, operations } = rights[0]!;
  const options = operations.map((operation) => `--operation ${operation}`).join(' ');
  const names = rights.map(({ name }) => `  --${resource} "\${PREFIX}${name}"`);
  return [`allow ${principal} --resource-pattern-type ${pattern}`, `  ${options}`, ...names].join(' \\\n');
}
