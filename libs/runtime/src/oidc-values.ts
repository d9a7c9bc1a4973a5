import { PERSON_ROLES, type PersonRole } from '@tidings/contracts/identity/sessions';
import { fail, listOf, matching, urlOf } from './environment-values';

/** What a group may do, and in which workspace; without one it is that of the configuration. */
export interface GroupRole {
  readonly group: string;
  readonly role: PersonRole;
  readonly workspace?: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The issuer as it is written: tokens name it so. */
export function issuerUrl(value: string) {
  const { protocol, hostname, username, password, search, hash } = urlOf(value, ['http:', 'https:'], 'https://host/path');
  if (![username, password, search, hash].every((part) => part === '')) fail('is not an address without user, query and fragment');
  if (protocol === 'http:' && !LOOPBACK.has(hostname)) fail('is not encrypted: http:// is accepted on this machine only');
  return value;
}

export function oidcScopes(value: string) {
  const scopes = value.split(' ').filter((scope) => scope !== '');
  return scopes.includes('openid') ? scopes.join(' ') : fail('has no scope openid');
}

export const groupsClaim = matching(/^[\x21-\x7e]{1,200}$/, 'is not the name of a claim: 1 to 200 visible ASCII characters without blanks');

export const label = matching(/^[^\p{C}]{1,40}$/u, 'is not 1 to 40 characters in one line');

const listOfRoles = listOf((entry): GroupRole => {
  const [, group, name, workspace] = /^(.+)=([a-z]+)(?:@(.+))?$/.exec(entry) ?? [];
  const role = PERSON_ROLES.find((one) => one === name);
  if (group === undefined || !role) {
    return fail(`is not group=role or group=role@workspace, separated by commas, with a role of ${PERSON_ROLES.join(', ')} ("${entry}")`);
  }
  return { group: decoded(group), role, ...(workspace !== undefined && { workspace: decoded(workspace) }) };
});

/** Roles of groups, in the order in which they are tried. */
export function groupRoles(value: string) {
  const roles = listOfRoles(value);
  const groups = roles.map(({ group }) => group);
  const twice = groups.find((group, index) => groups.indexOf(group) !== index);
  return twice === undefined ? roles : fail(`gives the group ${twice} two roles`);
}

function decoded(name: string) {
  try {
    return decodeURIComponent(name);
  } catch {
    return fail('has a name with a "%" that is not written as %25');
  }
}
