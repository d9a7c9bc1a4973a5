import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import {
  TOKEN_REPORTS_MAX,
  type TokenReport,
  type UserToken,
  type UserTokenEntry,
  userTokens,
} from '@tidings/contracts/identity/user-tokens';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { whileLocked } from '@tidings/testing/while-locked';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

/** A workspace in which Ada registered tokens an hour ago. */
async function registered(...tokens: string[]): Promise<CallContext> {
  const context = contextOf(randomUUID());
  const entries = tokens.map((token): UserTokenEntry => ({ token, provider_key: 'apn', expiry_date: false }));
  await identity.call(userTokens.putMany, context, { user_id: 'ada', tokens: entries });
  await identity.sql("update identity.push_tokens set registered_at = registered_at - interval '1 hour' where workspace_id = $1", [
    context.workspaceId,
  ]);
  return context;
}

const report = (...reports: TokenReport[]): Promise<void> => identity.call(userTokens.report, systemContext(randomUUID()), { reports });
const token = (context: CallContext, name: string): Promise<UserToken> =>
  identity.call(userTokens.retrieve, context, { user_id: 'ada', token: name });
const of = ({ workspaceId }: CallContext, name: string, outcome: TokenReport['outcome'], more: Partial<TokenReport> = {}): TokenReport => ({
  workspace_id: workspaceId,
  token: name,
  outcome,
  at: Date.now(),
  ...more,
});

it('applies reports of many tokens of many workspaces at once', async () => {
  const [one, two] = [await registered('t1', 't2', 't3'), await registered('t1')];

  await report(
    of(one, 't1', 'revoked', { code: 'Unregistered' }),
    of(one, 't2', 'suspicious', { code: 'BadDeviceToken' }),
    of(two, 't1', 'accepted'),
    of(two, 'unknown', 'revoked'),
  );

  await expect(token(one, 't1')).resolves.toMatchObject({ status: 'revoked', status_reason: 'Unregistered' });
  await expect(token(one, 't2')).resolves.toMatchObject({ status: 'failed', status_reason: 'BadDeviceToken' });
  await expect(token(one, 't3')).resolves.toMatchObject({ status: 'active' });
  await expect(token(two, 't1')).resolves.toMatchObject({ status: 'active' });
});

it('applies reports of one token by time, not by their order in the request', async () => {
  const context = await registered('t1', 't2');
  const [earlier, later] = [Date.now() - 2_000, Date.now() - 1_000];

  await report(of(context, 't1', 'accepted', { at: later }), of(context, 't1', 'suspicious', { at: earlier }));
  await report(of(context, 't2', 'suspicious', { at: later }), of(context, 't2', 'suspicious', { at: earlier }));

  await expect(token(context, 't1')).resolves.toMatchObject({ status: 'active' });
  await expect(token(context, 't2')).resolves.toMatchObject({ status: 'revoked' });
});

it('revokes at the second rejection in a row, also when the first came in an earlier call', async () => {
  const context = await registered('t1');

  await report(of(context, 't1', 'suspicious', { code: 'BadDeviceToken', at: Date.now() - 5 }));
  await report(of(context, 't1', 'suspicious', { code: 'BadDeviceToken' }));

  await expect(token(context, 't1')).resolves.toMatchObject({ status: 'revoked', status_reason: 'BadDeviceToken' });
});

it('ignores a revocation from before the last registration', async () => {
  const context = await registered('t1');
  await identity.call(userTokens.put, context, { user_id: 'ada', token: 't1', body: { provider_key: 'apn' } });

  await report(of(context, 't1', 'revoked', { code: 'Unregistered', at: Date.now() - 60_000 }));

  await expect(token(context, 't1')).resolves.toMatchObject({ status: 'active' });
});

it('counts later reports after one whose clock is ahead', async () => {
  const context = await registered('t1');
  await report(of(context, 't1', 'suspicious', { at: Date.now() + 1e9 }));
  const later = Date.now() + 1;
  while (Date.now() < later); // the next report must have a later millisecond

  await report(of(context, 't1', 'accepted'));

  await expect(token(context, 't1')).resolves.toMatchObject({ status: 'active' });
});

it('accepts the maximum number of reports, and refuses more', async () => {
  const context = await registered('t0', 't999');
  const many = Array.from({ length: TOKEN_REPORTS_MAX }, (_, index) => of(context, `t${index}`, 'revoked'));

  await report(...many);

  await expect(token(context, 't999')).resolves.toMatchObject({ status: 'revoked' });
  await expect(report(...many, of(context, 'one more', 'revoked'))).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(report()).resolves.toBeUndefined();
});

it('does not deadlock reports and a registration of the same tokens in different orders', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const context = await registered(...names);
  const lock = {
    statement: "select from identity.push_tokens where workspace_id = $1 and token = 't10' for update",
    values: [context.workspaceId],
    waiting: 3,
  };
  const reports = names.map((name) => of(context, name, 'suspicious'));
  const entries = names.map((name): UserTokenEntry => ({ token: name, provider_key: 'expo', expiry_date: false }));

  await whileLocked(identity.adminUrl, lock, () =>
    Promise.all([
      report(...reports),
      report(...reports.toReversed()),
      identity.call(userTokens.putMany, context, { user_id: 'ada', tokens: entries }),
    ]),
  );

  await expect(token(context, 't10')).resolves.toMatchObject({ provider_key: 'expo', status: 'active' });
});
