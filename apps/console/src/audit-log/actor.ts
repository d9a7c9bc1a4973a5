import type { AuditEvent } from '../api/types';
import { auditLog as words } from '../screen-texts/audit-log';

/** Who made a change, in words: a key by its name and its last characters, a person by the name. */
export function actorText({ actor }: AuditEvent): string {
  const { id, type, name, hint, users } = actor;
  if (type === 'operator' || type === undefined || type === null) return `${words.actors.operator} ${id}`;
  if (type === 'system') return words.actors.system;
  if (type === 'person') return `${words.actors.person} ${name ?? id}`;
  const key = `${words.actors[type]} ${name ?? words.unnamed}${hint ? ` …${hint}` : ''}`;
  return users && users.length > 0 ? `${key} ${words.usersOf(users)}` : key;
}
