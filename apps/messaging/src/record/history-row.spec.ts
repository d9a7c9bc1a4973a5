import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { erasedEvents } from './erased';
import { expandEvents } from './stored-events';

it('shows ascending times when the clocks of a step differ', () => {
  const events = [100, 90, 120, 80].map((ts) => ({ ts, type: 'SENT' as const }));
  const shown = expandEvents(events, { messageId: '1-00000000-000000000000000000000000', number: 1, atMs: 95 });
  expect(shown.map(({ ts }) => ts)).toEqual([100, 100, 120, 120]);
});

describe('a profile in the history', () => {
  const shownOf = (profile: object) => {
    const events = [
      { ts: 1, type: 'ENQUEUED', profile, data: {}, event: '', recipient: 'ada' },
      { ts: 1, type: 'PROFILE_LOADED', stored_profile: profile },
    ] as HistoryEvent[];
    return expandEvents(events, { messageId: '1-00000000-000000000000000000000000', number: 1, atMs: 1 });
  };

  it('shows addresses and hides credentials', () => {
    const profile = {
      email: 'ada@example.com',
      token: 'a field of the client',
      slack: { access_token: 'xoxb-secret', user_id: 'U1', team: { bot: { bot_access_token: 'secret' } } },
      webhook: {
        url: 'https://ada.example.com',
        headers: { 'x-key': 'secret' },
        authentication: { mode: 'basic', username: 'ada', password: 'secret' },
      },
      ms_teams: { tenant_id: 'T', incoming_webhook: { url: 'https://secret.example.com' } },
      pagerduty: { routing_key: 'secret', severity: 'error' },
    };
    const shown = {
      email: 'ada@example.com',
      token: 'a field of the client',
      slack: { access_token: '***', user_id: 'U1', team: { bot: { bot_access_token: '***' } } },
      webhook: {
        url: '***',
        headers: { 'x-key': '***' },
        authentication: { mode: 'basic', username: 'ada', password: '***' },
      },
      ms_teams: { tenant_id: 'T', incoming_webhook: { url: '***' } },
      pagerduty: { routing_key: '***', severity: 'error' },
    };

    const [enqueued, loaded] = shownOf(profile);

    expect(enqueued).toMatchObject({ profile: shown });
    expect(loaded).toEqual({ ts: 1, type: 'PROFILE_LOADED', stored_profile: shown, received_profile: shown, merged_profile: shown });
  });

  it('shows unexpected values of service fields unchanged', () => {
    const odd = { webhook: 'none', slack: null, discord: ['x'], deep: { slack: { token: 'not of a service' } } };

    expect(shownOf(odd)[0]).toMatchObject({ profile: odd });
  });
});

it('marks every erased event', () => {
  const events = ['ENQUEUED', 'PROFILE_LOADED', 'RENDERED', 'SENT'].map((type) => ({ ts: 1, type, erased: true }));
  const shown = expandEvents(erasedEvents(events as unknown as HistoryEvent[]), { messageId: '1-00000000-0', number: 1, atMs: 1 });
  expect(shown.map(({ erased }) => erased)).toEqual([true, true, true, true]);
});
