import { ALL_CHANNELS_REMOVED_ERROR, allowedChannels } from './allowed-channels';
import type { PreferencesPass } from './evaluate';

const chosen = (...channels: NonNullable<PreferencesPass['channels']>[number][]): PreferencesPass => ({
  send: true,
  channels,
  conditionsApply: false,
  required: false,
  rule: 'own choice of user ada',
});
const ROUTING = ['push', 'email', 'push', 'sms'];
const yes = () => true;

it('allows all, with their conditions, without a choice of channels', () => {
  const pass: PreferencesPass = { send: true, conditionsApply: true, required: false, rule: '' };
  expect(allowedChannels(pass, ROUTING, yes)).toEqual({ send: true, conditionsApply: true });
});

it('allows the chosen channels in the order of the routing, without conditions', () => {
  const allowed = allowedChannels(chosen('sms', 'inbox', 'push'), ROUTING, yes);
  expect(allowed).toEqual({ send: true, channels: ['push', 'sms'], conditionsApply: false });
});

it('stops when no channel is left, naming each removed one once', () => {
  expect(allowedChannels(chosen('inbox'), ROUTING, yes)).toEqual({
    send: false,
    status: 'UNROUTABLE',
    reason: 'UNSUBSCRIBED',
    error: ALL_CHANNELS_REMOVED_ERROR,
    rule: 'own choice of user ada',
    removed: ['push', 'email', 'sms'],
  });
});

it('removes channels that no preference can name', () => {
  expect(allowedChannels(chosen('email'), ['banner'], yes)).toMatchObject({ send: false, removed: ['banner'] });
});

it('allows a chosen channel that cannot be routed: the router reports that', () => {
  expect(allowedChannels(chosen('email'), ROUTING, () => false)).toMatchObject({ send: true, channels: ['email'] });
});

it('does not stop an empty routing', () => expect(allowedChannels(chosen('email'), [], yes)).toMatchObject({ send: true }));

describe('a required message', () => {
  const required = { ...chosen('email', 'sms'), required: true };

  it('follows a choice that leaves a routable channel', () => {
    const allowed = allowedChannels(required, ROUTING, (channel) => channel === 'sms');
    expect(allowed).toEqual({ send: true, channels: ['email', 'sms'], conditionsApply: false });
  });

  it.each([
    ['no routable channel', ROUTING, (channel: string) => channel === 'push'],
    ['no channel at all', ['push'], yes],
  ])('ignores a choice that leaves %s', (_, leaves, isRoutable) => {
    expect(allowedChannels(required, leaves, isRoutable)).toEqual({ send: true, conditionsApply: true });
  });
});
