import { refusalOf } from './refusal.fixture';
import {
  assertChannelTimeouts,
  assertProviderTimeouts,
  DEFAULT_LIMITS,
  escalationOf,
  type Limits,
  type LimitsInput,
  limitsOf,
  parseTimeouts,
  TIMEOUT_MS_MAX,
  type Timeouts,
} from './timeouts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('timeouts', () => {
  it.each<[unknown, Timeouts]>([
    [{}, {}],
    [{ message: null, channel: null, provider: null, criteria: null, escalation: null, other: 1 }, {}],
    [
      { message: 60_000, escalation: 2_000.5, criteria: 'viewed' },
      { messageMs: 60_000, escalationMs: 2_001, criteria: 'viewed' },
    ],
    [
      { channel: 5_000, provider: 4_000 },
      { channelMs: 5_000, providerMs: 4_000 },
    ],
    [
      { channel: { email: 5_000, sms: null }, provider: {} },
      { channelMs: { email: 5_000 }, providerMs: {} },
    ],
    [
      { message: TIMEOUT_MS_MAX, provider: { ses: 0.5 } },
      { messageMs: TIMEOUT_MS_MAX, providerMs: { ses: 1_000 } },
    ],
  ])('parse %j as %j', (value, timeouts) => {
    expect(parseTimeouts(value, 'message.timeout')).toEqual(timeouts);
  });

  it.each<[unknown, string]>([
    [1, 'message.timeout must be an object (got 1)'],
    [null, 'message.timeout must be an object (got null)'],
    [[], 'message.timeout must be an object (got [])'],
    [{ message: 0 }, 'message.timeout.message must be a number of milliseconds above 0 and at most 2592000000 (got 0)'],
    [{ message: -1 }, 'message.timeout.message'],
    [{ message: TIMEOUT_MS_MAX + 1 }, 'message.timeout.message'],
    [{ message: '1000' }, 'message.timeout.message must be a number of milliseconds above 0 and at most 2592000000 (got "1000")'],
    [{ message: { email: 1 } }, 'message.timeout.message'],
    [{ escalation: Infinity }, 'message.timeout.escalation'],
    [{ channel: '1h' }, 'message.timeout.channel'],
    [{ channel: [1] }, 'message.timeout.channel'],
    [{ channel: { email: 0 } }, 'message.timeout.channel.email'],
    [{ provider: { 'a b': {} } }, 'message.timeout.provider["a b"]'],
    [{ provider: { ['x'.repeat(257)]: 1 } }, 'must be called by at most 256 characters'],
    [
      { provider: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, 1])) },
      'message.timeout.provider has 101 entries, at most 100 are allowed',
    ],
    [{ criteria: 'read' }, 'message.timeout.criteria must be one of no-escalation, delivered, viewed, engaged (got "read")'],
    [{ criteria: 1 }, 'message.timeout.criteria'],
  ])('must not be %j', (value, sentence) => {
    expect(refusalOf(() => parseTimeouts(value, 'message.timeout'))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(sentence) as string,
    });
  });
});

describe('the settings of a channel, or of a provider', () => {
  it.each([
    {},
    { timeouts: null, timeout: null },
    { timeouts: {} },
    { timeouts: { channel: 1, provider: null } },
    { timeout: { provider: 5 } },
  ])('may be %j for a channel', (settings) => {
    expect(() => assertChannelTimeouts(settings, 'channels.email')).not.toThrow();
  });

  it.each([{}, { timeouts: 5 }, { timeout: 5 }, { timeouts: { provider: 5 } }, { timeouts: null, timeout: { provider: 5 } }])(
    'may be %j for a provider',
    (settings) => {
      expect(() => assertProviderTimeouts(settings, 'providers.ses')).not.toThrow();
    },
  );

  it.each([
    [{ timeouts: 5 }, 'channels.email.timeouts must be an object with channel and provider (got 5)'],
    [{ timeouts: { channel: 0 } }, 'channels.email.timeouts.channel must be a number of milliseconds'],
    [{ timeout: { provider: '5' } }, 'channels.email.timeout.provider must be a number of milliseconds'],
  ])('must not be %j for a channel', (settings, sentence) => {
    expect(() => assertChannelTimeouts(settings, 'channels.email')).toThrow(sentence);
  });

  it.each([
    [{ timeouts: '5' }, 'providers.ses.timeouts must be a number of milliseconds'],
    [{ timeouts: 5, timeout: 0 }, 'providers.ses.timeout must be a number of milliseconds'],
    [{ timeout: { provider: -1 } }, 'providers.ses.timeout.provider must be a number of milliseconds'],
    [{ timeouts: [5] }, 'providers.ses.timeouts must be a number of milliseconds'],
  ])('must not be %j for a provider', (settings, sentence) => {
    expect(() => assertProviderTimeouts(settings, 'providers.ses')).toThrow(sentence);
  });
});

describe('the limits', () => {
  const limits = (input: Omit<LimitsInput, 'channel' | 'provider'>) =>
    limitsOf({ channel: 'email', provider: ['prv_1', 'backup', 'ses'], ...input });

  it('are three days, half an hour and five minutes by default', () => {
    expect(limits({})).toEqual({ messageMs: 72 * HOUR_MS, channelMs: 30 * MINUTE_MS, providerMs: 5 * MINUTE_MS });
    expect(limits({ timeouts: {}, channelSettings: null, providerSettings: { timeouts: null } })).toEqual(DEFAULT_LIMITS);
  });

  it.each<[Omit<LimitsInput, 'channel' | 'provider'>, Partial<Limits>]>([
    [{ timeouts: { providerMs: 9_000 } }, { providerMs: 9_000 }],
    [{ timeouts: { providerMs: 9_000 }, channelSettings: { timeouts: { provider: 8_000 } } }, { providerMs: 8_000 }],
    [{ timeouts: { providerMs: { ses: 7_000 } }, channelSettings: { timeouts: { provider: 8_000 } } }, { providerMs: 7_000 }],
    [{ timeouts: { providerMs: { ses: 7_000, backup: 6_000 } } }, { providerMs: 6_000 }],
    [{ timeouts: { providerMs: { backup: 6_000, prv_1: 5_000 } } }, { providerMs: 5_000 }],
    [{ timeouts: { providerMs: { smtp: 7_000 } }, channelSettings: { timeout: { provider: 8_000 } } }, { providerMs: 8_000 }],
    [{ timeouts: { providerMs: { ses: 7_000 } }, providerSettings: { timeouts: 6_000 } }, { providerMs: 6_000 }],
    [{ timeouts: { providerMs: { ses: 7_000 } }, providerSettings: { timeout: { provider: 6_000 } } }, { providerMs: 6_000 }],
    [{ providerSettings: { timeouts: 6_000, timeout: 5_000 } }, { providerMs: 6_000 }],
    [{ timeouts: { channelMs: 600_000 } }, { channelMs: 600_000 }],
    [{ timeouts: { channelMs: { sms: 600_000 } } }, { channelMs: DEFAULT_LIMITS.channelMs }],
    [{ timeouts: { channelMs: { email: 600_000 } } }, { channelMs: 600_000 }],
    [{ timeouts: { channelMs: { email: 600_000 } }, channelSettings: { timeouts: { channel: 500_000 } } }, { channelMs: 500_000 }],
    [{ timeouts: { messageMs: 100 * HOUR_MS } }, { messageMs: 100 * HOUR_MS }],
  ])('of %j have %j: the more specific limit wins', (input, expected) => {
    expect(limits(input)).toEqual({ ...DEFAULT_LIMITS, ...expected });
  });

  it('of a provider are at most those of its channel, and these at most those of the message', () => {
    expect(limits({ timeouts: { messageMs: MINUTE_MS } })).toEqual({ messageMs: MINUTE_MS, channelMs: MINUTE_MS, providerMs: MINUTE_MS });
    expect(limits({ timeouts: { channelMs: 2_000 }, providerSettings: { timeouts: HOUR_MS } })).toMatchObject({ providerMs: 2_000 });
    expect(limits({ providerSettings: { timeouts: HOUR_MS } })).toMatchObject({ providerMs: DEFAULT_LIMITS.channelMs });
  });

  it('ignore invalid limits of stored settings, and clamp the others to the bounds', () => {
    for (const timeouts of ['5', -5, 0, NaN, [], { provider: '5' }, true]) {
      expect(limits({ channelSettings: { timeouts }, providerSettings: { timeouts } })).toEqual(DEFAULT_LIMITS);
    }
    expect(limits({ providerSettings: { timeouts: 5 } })).toMatchObject({ providerMs: 1_000 });
    expect(limits({ timeouts: { messageMs: TIMEOUT_MS_MAX }, channelSettings: { timeouts: { channel: 1e300 } } })).toMatchObject({
      channelMs: TIMEOUT_MS_MAX,
    });
  });

  it('ignore names that every object inherits', () => {
    expect(limitsOf({ timeouts: { channelMs: {}, providerMs: {} }, channel: 'constructor', provider: ['__proto__'] })).toEqual(
      DEFAULT_LIMITS,
    );
  });
});

describe('escalation', () => {
  it.each<[Timeouts, ReturnType<typeof escalationOf>]>([
    [{}, undefined],
    [{ escalationMs: 5_000 }, undefined],
    [{ criteria: 'viewed' }, undefined],
    [{ criteria: 'no-escalation', escalationMs: 5_000 }, undefined],
    [
      { criteria: 'viewed', escalationMs: 5_000 },
      { criteria: 'viewed', afterMs: 5_000 },
    ],
  ])('of %j is %j', (timeouts, escalation) => {
    expect(escalationOf(timeouts)).toEqual(escalation);
  });
});
