import { count } from '../format';

/** Texts of the screens of providers. */
export const providers = {
  columns: { title: 'Provider', channel: 'Channel', rank: 'Tried as', state: 'State', waiting: 'Waiting', test: 'Credentials' },
  facts: { kind: 'Kind', alias: 'Alias', id: 'Id', pausedBy: 'Paused by', pausedAt: 'Paused since' },
  orderHint:
    'On a channel the first that may be called is tried, then the next; a template or a send may route otherwise. A provider of the operators is used where the workspace has configured none for the channel.',
  none: 'No providers',
  noneHint: 'Messages need a provider for each channel. Configure one so:',
  unknown: 'There is no such provider',
  breakers: { open: 'breaker open', 'half-open': 'on trial' },
  breakerHint: 'It kept failing, so it is not called for a while; then one call decides. Each process has a breaker of its own.',
  until: 'until',
  retried: (value: string): string => `${value} failed before`,
  test: 'Test',
  testOf: (title: string): string => `Test ${title}`,
  testHint: 'Logs in, or requests what needs the credentials; sends no message',
  testing: 'Testing …',
  testOk: 'accepted',
  testFailed: 'not accepted',
  retryNow: 'Retry now',
  retryNowHint: 'Makes what waits for it due within a minute, and closes its breakers',
  retriedNow: (deliveries: number): string => `${count(deliveries)} become due within a minute.`,
  enable: 'Enable',
  disable: 'Disable',
  disableHint: 'Messages then use their other routes',
  ofOperators: 'The operators configure this provider, for all workspaces.',
  settings: 'Settings',
  callback: 'The vendor reports what became of messages to this address, which has a secret:',
  callbackName: 'Callback address',
  pauses: 'Pauses',
  pausesHint: 'Operators pause a provider: it is not called, and its messages wait. In their shell:',
} as const;
