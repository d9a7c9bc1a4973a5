import { profiles } from './profiles';
import { providers } from '../messaging/providers';
import { sealsReply, sealsRequest } from './carried-secrets';

const reply = (profile: object) => JSON.stringify({ ok: { profile } });

it('seals what may carry credentials, and no request that has ids alone', () => {
  expect([profiles.retrieve, profiles.replace, providers.retrieve, providers.create].map(sealsRequest)).toEqual([false, true, false, true]);
});

it('seals the reply with a profile that has a service, and always those with settings', () => {
  expect(sealsReply(profiles.retrieve, reply({ email: 'ada@example.com', webhooks: 'slack' }))).toBe(false);
  expect(sealsReply(profiles.retrieve, reply({ slack: { access_token: 'xoxb' } }))).toBe(true);
  expect(sealsReply(profiles.replace, reply({}))).toBe(true);
  expect(sealsReply(providers.retrieve, reply({}))).toBe(true);
});
