import { EVERYTHING, STATUS_READS } from './core/granted';
import type { PersonRole } from './identity/sessions';
import { KEY_SCOPES } from './scopes';

/** Reading everything; without what only limits or belongs to tokens of users. */
const READS = KEY_SCOPES.filter((scope) => scope.startsWith('read:') && scope !== STATUS_READS);

/** Each is named: a new one is for viewers until someone decides. */
const SUPPORT = [
  STATUS_READS,
  'read:audiences',
  'read:lists',
  'read:notifications',
  'read:preference-sections',
  'read:preferences',
  'read:profiles',
  'read:providers',
  'read:stats',
  'read:suppressions',
  'read:tenants',
  'read:user-tenants',
  'read:user-tokens',
  'write:messages',
];

/** Each is named: a new one is for admins until someone decides. */
const EDITS = [
  'write:audiences',
  'write:brands',
  'write:bulk',
  'write:events',
  'write:lists',
  'write:messages',
  'write:notifications',
  'write:preference-sections',
  'write:preferences',
  'write:profiles',
  'write:requests',
  'write:routing-strategies',
  'write:send',
  'write:suppressions',
  'write:tenants',
  'write:translations',
  'write:user-tenants',
  'write:user-tokens',
];

const SCOPES: Readonly<Record<PersonRole, readonly string[]>> = {
  viewer: READS,
  support: SUPPORT,
  editor: [...READS, ...EDITS],
  admin: [EVERYTHING],
};

/** What people of a role may do in their workspace. */
export function scopesOfRole(role: PersonRole): string[] {
  return [...SCOPES[role]];
}
