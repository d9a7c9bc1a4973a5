import type { LoadedTemplate } from '@tidings/contracts/content/sending-templates';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Ended } from './decide';
import { ask, decided, HOUR_MS, outcome, PROFILE, template, TS, typesOf } from './deciding.fixture';
import type { RoutingContext } from './routing-context';

describe('the order of decisions', () => {
  it.each<[string, Partial<MessageRequested>, Partial<RoutingContext>, unknown, string[]]>([
    ['no template', { template: 'x' }, { template: null }, 'UNMAPPED', ['UNMAPPED']],
    ['no template, delayed', { template: 'x', delay: { untilMs: TS + HOUR_MS } }, { template: null }, 'UNMAPPED', ['UNMAPPED']],
    ['a delay', { template: 'x', delay: { untilMs: TS + HOUR_MS } }, { template: template() }, 'delayed', ['MAPPED', 'DELAYED']],
    ['a delay that is over', { delay: { untilMs: TS - HOUR_MS } }, {}, 'ways', ['PROFILE_LOADED']],
    [
      'a duration that counts from the acceptance',
      { delay: { durationMs: HOUR_MS }, requestedAt: TS - HOUR_MS },
      {},
      'ways',
      ['PROFILE_LOADED'],
    ],
    ['an open window', { delay: { window: 'Mo 09:00-17:00' } }, {}, 'ways', ['PROFILE_LOADED']],
    ['a closed window', { delay: { window: 'Mo 13:00-17:00' } }, {}, 'delayed', ['DELAYED']],
    [
      'a window in the zone of the recipient',
      { delay: { window: 'Mo 13:00-17:00' }, profile: { ...PROFILE, timezone: 'Europe/Berlin' } },
      {},
      'ways',
      ['PROFILE_LOADED'],
    ],
    ['a window that never opens', { delay: { window: 'Feb 30: 09:00-17:00' } }, {}, 'UNDELIVERABLE · FAILED', ['UNDELIVERABLE']],
    [
      'a template that is not published',
      { template: 'x' },
      { template: template({ content: null }) },
      'UNROUTABLE · UNPUBLISHED',
      ['MAPPED', 'PROFILE_LOADED', 'UNROUTABLE'],
    ],
    [
      'no condition that is met',
      { channels: { email: { if: 'data.a' }, sms: { if: 'data.a' } } },
      {},
      'FILTERED · FILTERED',
      ['PROFILE_LOADED', 'FILTERED'],
    ],
    ['nothing in the way', { template: 'x' }, { template: template() }, 'ways', ['MAPPED', 'PROFILE_LOADED']],
  ])('with %s', (_case, fields, known, expected, types) => {
    const decision = decided(ask({ ...(fields.template !== undefined && { content: undefined }), ...fields }), known);
    expect(outcome(decision)).toBe(expected);
    expect(typesOf(decision)).toEqual(types);
  });

  it('with a condition that cannot be read says so, where it was filtered for it', () => {
    const { verdict } = decided(ask({ channels: { email: { if: 'data.(' }, sms: { if: 'data.a' } } }), {});
    expect(verdict).toMatchObject({
      status: 'FILTERED',
      error: expect.stringMatching(/^The conditions of email, sms are not met\. The condition "data\.\(" counts as false: /) as string,
    });
  });

  it('behind its delay maps no second time, looks at no window, and counts its time from then', () => {
    const decision = decided(
      ask({ template: 'x', delay: { window: 'Mo 13:00-17:00' } }),
      { template: template() },
      { isDue: true, isStored: true },
    );
    expect(typesOf(decision)).toEqual(['PROFILE_LOADED']);
    expect(decision.events[0]).toMatchObject({ received_profile: PROFILE });
    expect(decision.verdict).toMatchObject({ kind: 'ways', tree: { since: TS } });
  });

  it('taken up at its turn tells the received profile in its own row', () => {
    expect(decided(ask(), {}, { isStored: true }).events[0]).toMatchObject({ type: 'PROFILE_LOADED', received_profile: PROFILE });
    expect(decided(ask()).events[0]).not.toHaveProperty('received_profile');
  });

  it.each<[string, Partial<LoadedTemplate>, Partial<MessageRequested>, string[]]>([
    ['the send', { routing: { method: 'single', channels: ['email'] } }, { routing: { method: 'single', channels: ['sms'] } }, ['sms']],
    ['the template', { routing: { method: 'single', channels: ['sms'] } }, { routing: undefined }, ['sms']],
    ['the default, where nobody says any', {}, { routing: undefined }, ['email', 'sms']],
    [
      'the template, where the send gives a method alone',
      { routing: { method: 'all', channels: ['sms'] } },
      { routing: { method: 'single', channels: [] } },
      ['sms'],
    ],
    ['the default, where nobody names a channel', {}, { routing: { method: 'all', channels: [] } }, ['email', 'sms']],
  ])('takes the routing of %s', (_whose, ofTemplate, ofSend, channels) => {
    const { verdict } = decided(ask({ content: undefined, template: 't', ...ofSend }), { template: template(ofTemplate) });
    expect((verdict as { tree: { leaves: { channel: string }[] } }).tree.leaves.map(({ channel }) => channel)).toEqual(channels);
  });

  it('takes the method of the send with the channels of the template', () => {
    const { verdict } = decided(ask({ content: undefined, template: 't', routing: { method: 'all', channels: [] } }), {
      template: template({ routing: { method: 'single', channels: ['email', 'sms'] } }),
    });
    expect(verdict).toMatchObject({ tree: { root: { method: 'all', of: [0, 1] } } });
  });

  it('sees data, profile and tenant in conditions, and what cannot be read is false', () => {
    const of = (condition: string) =>
      outcome(
        decided(ask({ data: { vip: true }, channels: { email: { if: condition } }, routing: { method: 'single', channels: ['email'] } })),
      );
    expect(of('data.vip === true && profile.email === "ada@example.com"')).toBe('ways');
    expect(of('data.vip === false')).toBe('FILTERED · FILTERED');
    expect(of('][')).toBe('FILTERED · FILTERED');
  });

  it('says what the recipient lacks', () => {
    const { verdict } = decided(ask({ profile: {} }));
    expect((verdict as Ended).error).toContain('profile.email');
    expect((verdict as Ended).error).toContain('profile.phone_number');
  });
});
