import { STATUS_READS } from './core/granted';
import { PERSON_ROLES } from './identity/sessions';
import { scopesOfRole } from './roles';
import { assertKeyScopes, KEY_SCOPES } from './scopes';

it.each(PERSON_ROLES)('a role has scopes that exist: %s', (role) => {
  expect(() => assertKeyScopes(scopesOfRole(role))).not.toThrow();
});

it('viewers read everything and change nothing; editors read everything too', () => {
  const reads = KEY_SCOPES.filter((scope) => scope.startsWith('read:') && scope !== STATUS_READS);

  expect(scopesOfRole('viewer')).toEqual(reads);
  expect(scopesOfRole('editor')).toEqual(expect.arrayContaining(reads));
});

it('support has no scope of content of messages', () => {
  for (const scope of ['read:messages', 'read:bulk', 'read:webhooks', 'write:send']) expect(scopesOfRole('support')).not.toContain(scope);
});

it('editors do not change what leads out of the workspace', () => {
  for (const resource of ['providers', 'webhooks', 'issued-tokens', 'inbound', 'keys'])
    expect(scopesOfRole('editor')).not.toContain(`write:${resource}`);
});
