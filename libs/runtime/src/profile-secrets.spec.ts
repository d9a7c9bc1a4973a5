import { randomBytes, randomUUID } from 'node:crypto';
import { withHiddenCredentials, withoutCredentials } from '@tidings/contracts/identity/profile-credentials';
import { ProfileSecrets } from './profile-secrets';
import { keyIdOf } from './secret-box';

const [key, other] = [randomBytes(32), randomBytes(32)];
const workspaceId = randomUUID();
const secrets = new ProfileSecrets([key]);

const PROFILE = {
  email: 'ada@example.com',
  token: 'no credential',
  slack: { channel: 'C1', access_token: 'hunter2', incoming_webhook: { url: 'https://hunter2' }, teams: [{ bot: { token: 'hunter2' } }] },
  ms_teams: { tenant_id: 'T', client_secret: { of: 'hunter2' } },
  discord: { user_id: '1', token: 'hunter2' },
  pagerduty: { routing_key: 'hunter2', severity: 'error' },
  webhook: {
    url: 'https://example.com/hunter2',
    method: 'PUT',
    headers: { 'x-key': 'hunter2', 'x-none': null },
    authentication: { mode: 'basic', username: 'ada', password: 'hunter2', token: null },
  },
};

it('seals each credential, and opens it again', () => {
  const sealed = secrets.seal(workspaceId, PROFILE);

  expect(JSON.stringify(sealed)).not.toContain('hunter2');
  expect(sealed).toMatchObject({ email: 'ada@example.com', token: 'no credential', slack: { channel: 'C1' }, webhook: { method: 'PUT' } });
  expect(secrets.seal(workspaceId, sealed)).toEqual(sealed);
  expect(secrets.open(workspaceId, sealed)).toEqual(PROFILE);
  expect(secrets.openForCall(workspaceId, sealed)).toEqual(PROFILE);
});

it('does not touch a profile without credentials', () => {
  const profile = { email: 'ada@example.com', webhook: null, slack: 'x', headers: { authorization: 'of the client' } };

  expect(secrets.seal(workspaceId, profile)).toBe(profile);
  expect(secrets.open(workspaceId, profile)).toBe(profile);
});

it('opens a credential at its path of its workspace alone', () => {
  const { slack } = secrets.seal(workspaceId, { slack: { access_token: 'hunter2' } });
  const moved = { discord: { token: slack.access_token } };

  expect(secrets.open(randomUUID(), { slack })).toEqual({ slack });
  expect(secrets.open(workspaceId, moved)).toEqual(moved);
});

it('leaves what was sealed with a missing key as it is, and refuses it in a call', () => {
  const sealed = secrets.seal(workspaceId, PROFILE);
  const others = new ProfileSecrets([other]);

  expect(others.open(workspaceId, sealed)).toEqual(sealed);
  expect(() => others.openForCall(workspaceId, sealed)).toThrow('profile.webhook.url was sealed with a key that TIDINGS_SECRET_KEY');
  expect(others.reseal(workspaceId, sealed)).toEqual({ profile: sealed, isChanged: false, wasInClear: false, isUnreadable: true });
});

it('answers no reader what cannot be opened, and names its key', () => {
  const sealed = secrets.seal(workspaceId, PROFILE);
  const shown = { path: 'profile', of: 'user ada' };
  const others = new ProfileSecrets([other]);
  const start = 'profile.webhook.url of user ada cannot be read: ';

  expect(secrets.openForReader(workspaceId, sealed, shown)).toEqual(PROFILE);
  expect(() => others.openForReader(workspaceId, sealed, shown)).toThrow(
    `${start}it was sealed with the key ${keyIdOf(key)}, which TIDINGS_SECRET_KEY does not hold. Add that key`,
  );
  expect(() => secrets.openForReader(randomUUID(), sealed, shown)).toThrow(
    `${start}the key ${keyIdOf(key)} of TIDINGS_SECRET_KEY, which sealed it, does not open it here. Write it again`,
  );
});

it('seals again with the first key what another one sealed, or none', () => {
  const rotated = new ProfileSecrets([other, key]);
  const resealed = rotated.reseal(workspaceId, secrets.seal(workspaceId, PROFILE));
  const ofClear = rotated.reseal(workspaceId, PROFILE);

  expect(resealed).toMatchObject({ isChanged: true, wasInClear: false, isUnreadable: false });
  expect(new ProfileSecrets([other]).open(workspaceId, resealed.profile)).toEqual(PROFILE);
  expect(rotated.reseal(workspaceId, resealed.profile)).toMatchObject({ isChanged: false });
  expect(ofClear).toMatchObject({ isChanged: true, wasInClear: true });
  expect(rotated.open(workspaceId, ofClear.profile)).toEqual(PROFILE);
});

it('refuses sealed credentials of clients, except those that could not be opened', () => {
  const sealed = secrets.seal(workspaceId, PROFILE);

  expect(() => secrets.assertGiven(sealed, { path: 'message.to' })).toThrow('message.to.webhook.url must be given as it is');
  expect(() => secrets.assertGiven(PROFILE)).not.toThrow();
  expect(() => secrets.assertGiven(sealed, { stored: sealed })).not.toThrow();
});

it('refuses more credentials than a profile may have', () => {
  const profile = { webhook: { headers: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`x-${n}`, n])) } };

  expect(() => secrets.assertGiven(profile)).toThrow('profile.webhook.headers.x-1000 is one credential too many');
});

it('hides the credentials, or leaves them out', () => {
  expect(withHiddenCredentials(PROFILE)).toMatchObject({ webhook: { url: '***', headers: { 'x-key': '***' }, method: 'PUT' } });
  expect(withoutCredentials(PROFILE)).toEqual({
    email: 'ada@example.com',
    token: 'no credential',
    slack: { channel: 'C1', incoming_webhook: {}, teams: [{ bot: {} }] },
    ms_teams: { tenant_id: 'T' },
    discord: { user_id: '1' },
    pagerduty: { severity: 'error' },
    webhook: { method: 'PUT', headers: { 'x-none': null }, authentication: { mode: 'basic', username: 'ada', token: null } },
  });
});
