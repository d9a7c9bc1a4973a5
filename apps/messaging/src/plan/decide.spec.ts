import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { type Addressee, recipientOn } from '@tidings/providers/recipient';
import type { Ended } from './decide';
import { sendRequest, decided, HOUR_MS, outcome, PROFILE, template, TS, typesOf } from './deciding.fixture';
import type { RoutingContext } from './routing-context';

describe('decide', () => {
  it.each<[string, Partial<MessageRequested>, Partial<RoutingContext>, unknown, string[]]>([
    ['an unknown template', { template: 'x' }, { template: null }, 'UNMAPPED', ['UNMAPPED']],
    ['an unknown template and a delay', { template: 'x', delay: { untilMs: TS + HOUR_MS } }, { template: null }, 'UNMAPPED', ['UNMAPPED']],
    ['a delay', { template: 'x', delay: { untilMs: TS + HOUR_MS } }, { template: template() }, 'delayed', ['MAPPED', 'DELAYED']],
    ['a delay that is over', { delay: { untilMs: TS - HOUR_MS } }, {}, 'routes', ['PROFILE_LOADED']],
    [
      'a duration that counts from the acceptance',
      { delay: { durationMs: HOUR_MS }, requestedAt: TS - HOUR_MS },
      {},
      'routes',
      ['PROFILE_LOADED'],
    ],
    ['an open window', { delay: { window: 'Mo 09:00-17:00' } }, {}, 'routes', ['PROFILE_LOADED']],
    ['a closed window', { delay: { window: 'Mo 13:00-17:00' } }, {}, 'delayed', ['DELAYED']],
    [
      'a window in the zone of the recipient',
      { delay: { window: 'Mo 13:00-17:00' }, profile: { ...PROFILE, timezone: 'Europe/Berlin' } },
      {},
      'routes',
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
      'no condition met',
      { channels: { email: { if: 'data.a' }, sms: { if: 'data.a' } } },
      {},
      'FILTERED · FILTERED',
      ['PROFILE_LOADED', 'FILTERED'],
    ],
    ['nothing that stops it', { template: 'x' }, { template: template() }, 'routes', ['MAPPED', 'PROFILE_LOADED']],
  ])('decides about a message with %s', (_case, fields, context, expected, types) => {
    const decision = decided(sendRequest({ ...(fields.template !== undefined && { content: undefined }), ...fields }), context);
    expect(outcome(decision)).toBe(expected);
    expect(typesOf(decision)).toEqual(types);
  });

  it('names a condition that cannot be parsed in the error of a filtered message', () => {
    const { verdict } = decided(sendRequest({ channels: { email: { if: 'data.(' }, sms: { if: 'data.a' } } }), {});
    expect(verdict).toMatchObject({
      status: 'FILTERED',
      error: expect.stringMatching(/^The conditions of email, sms are not met\. The condition "data\.\(" counts as false: /) as string,
    });
  });

  it('after the delay does not map again, ignores the window, and starts the time limit', () => {
    const decision = decided(
      sendRequest({ template: 'x', delay: { window: 'Mo 13:00-17:00' } }),
      { template: template() },
      { isDue: true, isStored: true },
    );
    expect(typesOf(decision)).toEqual(['PROFILE_LOADED']);
    expect(decision.events[0]).toMatchObject({ received_profile: PROFILE });
    expect(decision.verdict).toMatchObject({ kind: 'routes', tree: { since: TS } });
  });

  it('records the received profile in PROFILE_LOADED where the message was stored before', () => {
    expect(decided(sendRequest(), {}, { isStored: true }).events[0]).toMatchObject({ type: 'PROFILE_LOADED', received_profile: PROFILE });
    expect(decided(sendRequest()).events[0]).not.toHaveProperty('received_profile');
  });

  it.each<[string, Partial<LoadedTemplate>, Partial<MessageRequested>, string[]]>([
    ['the send', { routing: { method: 'single', channels: ['email'] } }, { routing: { method: 'single', channels: ['sms'] } }, ['sms']],
    ['the template', { routing: { method: 'single', channels: ['sms'] } }, { routing: undefined }, ['sms']],
    ['the default, where send and template have none', {}, { routing: undefined }, ['email', 'sms']],
    [
      'the template, where the send has only a method',
      { routing: { method: 'all', channels: ['sms'] } },
      { routing: { method: 'single', channels: [] } },
      ['sms'],
    ],
    ['the default, where neither names a channel', {}, { routing: { method: 'all', channels: [] } }, ['email', 'sms']],
  ])('uses the routing of %s', (_source, ofTemplate, ofSend, channels) => {
    const { verdict } = decided(sendRequest({ content: undefined, template: 't', ...ofSend }), { template: template(ofTemplate) });
    expect((verdict as { tree: { leaves: { channel: string }[] } }).tree.leaves.map(({ channel }) => channel)).toEqual(channels);
  });

  const own = { webhook: { url: 'https://example.com/hook' } };
  it.each<[string, Partial<MessageRequested>, Partial<LoadedTemplate>, string]>([
    ['where neither routing nor recipient names it', {}, {}, 'UNROUTABLE · NO_PROVIDERS'],
    ['for a method alone', { routing: { method: 'all', channels: [] } }, {}, 'UNROUTABLE · NO_PROVIDERS'],
    ['for a recipient with a webhook', { profile: own }, {}, 'routes'],
    ['that the routing of the send names', { routing: { method: 'single', channels: ['webhook'] } }, {}, 'routes'],
    ['that the routing of the send names by its provider', { routing: { method: 'single', channels: ['hook'] } }, {}, 'routes'],
    ['that the template’s routing names', {}, { routing: { method: 'single', channels: ['email', 'webhook'] } }, 'routes'],
  ])('uses a configured webhook only where it is named: %s', (_case, ofSend, ofTemplate, expected) => {
    const webhook = { id: 'hook', provider: 'http', alias: 'hook', channel: 'webhook', needs: () => ({ channel: 'webhook' }) };
    const request = sendRequest({ content: undefined, template: 't', routing: undefined, profile: {}, ...ofSend });
    const decision = decided(request, { template: template(ofTemplate), integrations: [webhook as never] });
    expect(outcome(decision)).toBe(expected);
    if (expected === 'routes') return;
    expect((decision.verdict as Ended).error).toContain('webhook needs profile.webhook, or a routing that names it');
  });

  it.each<[string, object, Partial<MessageRequested>, string]>([
    ['where its profile has pagerduty', { pagerduty: {} }, {}, 'routes'],
    ['where it has a webhook alone', own, {}, 'UNROUTABLE · NO_PROVIDERS'],
    ['where the routing names it', {}, { routing: { method: 'single', channels: ['pagerduty'] } }, 'routes'],
  ])('raises an incident for a recipient only %s', (_case, profile, ofSend, expected) => {
    const pagerduty = { id: 'p', provider: 'pagerduty', channel: 'webhook', needs: () => ({ channel: 'webhook' }) };
    const request = sendRequest({ routing: undefined, ...ofSend, profile: { ...profile } });
    const decision = decided(request, { integrations: [pagerduty as never] });
    expect(outcome(decision)).toBe(expected);
    if (expected === 'routes') return;
    expect((decision.verdict as Ended).error).toContain('pagerduty needs profile.pagerduty, or a routing that names it');
  });

  it('combines the method of the send with the channels of the template', () => {
    const { verdict } = decided(sendRequest({ content: undefined, template: 't', routing: { method: 'all', channels: [] } }), {
      template: template({ routing: { method: 'single', channels: ['email', 'sms'] } }),
    });
    expect(verdict).toMatchObject({ tree: { root: { method: 'all', of: [0, 1] } } });
  });

  it('evaluates conditions over data, profile and tenant; one that cannot be parsed is false', () => {
    const of = (condition: string) =>
      outcome(
        decided(
          sendRequest({ data: { vip: true }, channels: { email: { if: condition } }, routing: { method: 'single', channels: ['email'] } }),
        ),
      );
    expect(of('data.vip === true && profile.email === "ada@example.com"')).toBe('routes');
    expect(of('data.vip === false')).toBe('FILTERED · FILTERED');
    expect(of('][')).toBe('FILTERED · FILTERED');
  });

  it.each<[string, unknown, string]>([
    ['a number', 7, 'profile.email must be an e-mail address (got 7)'],
    ['a list', ['a@example.com'], 'profile.email must be an e-mail address (got an array of 1)'],
    ['an object', { work: 'a@example.com' }, 'profile.email must be an e-mail address (got an object)'],
    ['an empty text', '', 'profile.email must be an e-mail address (got "")'],
    ['null', null, 'e-mail needs profile.email'],
  ])('says in the error that a stored e-mail address is %s', (_, email, needed) => {
    const routing = { method: 'single' as const, channels: ['email'] };
    const smtp = { id: 'smtp', provider: 'smtp', channel: 'email', needs: (one: Addressee) => recipientOn('email', one) };
    const { verdict } = decided(sendRequest({ profile: { email }, routing }), { integrations: [smtp as never] });
    expect(verdict).toMatchObject({ reason: 'NO_PROVIDERS', error: `No provider can reach this recipient: ${needed}` });
  });

  it('names the missing profile fields in the error', () => {
    const { verdict } = decided(sendRequest({ profile: {} }));
    expect((verdict as Ended).error).toContain('profile.email');
    expect((verdict as Ended).error).toContain('profile.phone_number');
  });
});
