import type { PushTokenStatus, TokenOutcome } from '@tidings/contracts/identity/user-tokens';
import { afterReport, type TokenState } from './token-status';

const REGISTERED_AT = 1_000;
const NOW = 5_000;

const stateOf = (status: PushTokenStatus, more: Partial<TokenState> = {}): TokenState => ({
  status,
  reason: status === 'active' || status === 'unknown' ? null : 'before',
  failedAt: status === 'failed' ? 2_000 : null,
  reportedAt: status === 'failed' ? 2_000 : null,
  registeredAt: REGISTERED_AT,
  ...more,
});

describe('a report of a push service', () => {
  it.each<[PushTokenStatus, TokenOutcome, PushTokenStatus]>([
    ['active', 'accepted', 'active'],
    ['unknown', 'accepted', 'active'],
    ['failed', 'accepted', 'active'],
    ['revoked', 'accepted', 'revoked'],
    ['active', 'suspicious', 'failed'],
    ['unknown', 'suspicious', 'failed'],
    ['failed', 'suspicious', 'revoked'],
    ['revoked', 'suspicious', 'revoked'],
    ['active', 'revoked', 'revoked'],
    ['unknown', 'revoked', 'revoked'],
    ['failed', 'revoked', 'revoked'],
    ['revoked', 'revoked', 'revoked'],
  ])('for a token that is %s: %s makes it %s', (before, outcome, after) => {
    const state = stateOf(before);

    const next = afterReport(state, { outcome, code: 'Code', at: NOW });

    expect(next.status).toBe(after);
    if (after === before) expect(next).toBe(state);
    else
      expect(next).toMatchObject({
        reason: after === 'active' ? null : 'Code',
        failedAt: after === 'failed' ? NOW : null,
        reportedAt: NOW,
      });
  });

  it.each<TokenOutcome>(['accepted', 'suspicious', 'revoked'])('from before the registration is ignored: %s', (outcome) => {
    const state = stateOf('unknown');

    expect(afterReport(state, { outcome, code: 'Code', at: REGISTERED_AT })).toBe(state);
    expect(afterReport(state, { outcome, code: 'Code', at: REGISTERED_AT + 1 })).not.toBe(state);
  });

  it('counts a rejection once that is reported twice', () => {
    const rejection = { outcome: 'suspicious', code: 'BadDeviceToken', at: NOW } as const;
    const once = afterReport(stateOf('active'), rejection);

    expect(afterReport(once, rejection)).toBe(once);
    expect(afterReport(once, { ...rejection, at: NOW + 1 }).status).toBe('revoked');
  });

  it('revokes only for two rejections in a row, without an acceptance between them', () => {
    const failed = afterReport(stateOf('active'), { outcome: 'suspicious', at: NOW });
    const accepted = afterReport(failed, { outcome: 'accepted', at: NOW + 1 });

    expect(afterReport(accepted, { outcome: 'suspicious', at: NOW + 2 }).status).toBe('failed');
  });

  it('does not override a later report, unless it revokes the token', () => {
    const state = stateOf('failed', { reportedAt: NOW });

    expect(afterReport(state, { outcome: 'accepted', at: NOW - 1 })).toBe(state);
    expect(afterReport(state, { outcome: 'suspicious', at: NOW - 1 })).toBe(state);
    expect(afterReport(state, { outcome: 'revoked', code: 'Unregistered', at: NOW - 1 })).toMatchObject({
      status: 'revoked',
      reason: 'Unregistered',
      reportedAt: NOW,
    });
  });

  it('gets the reason `unspecified` when it names none', () => {
    expect(afterReport(stateOf('active'), { outcome: 'revoked', at: NOW }).reason).toBe('unspecified');
  });
});
