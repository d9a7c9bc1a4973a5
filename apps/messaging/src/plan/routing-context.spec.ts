import type { ChainTenant, LoadedRecipient } from '@tidings/contracts/identity/recipients';
import { sendRequest } from './deciding.fixture';
import { profilesOf, type RoutingContext, tenantBrand, tenantVariables } from './routing-context';

describe('a profile', () => {
  const level = (tenant_id: string, user_profile: Record<string, unknown> | null, more: Partial<ChainTenant> = {}): ChainTenant => ({
    tenant_id,
    name: tenant_id,
    brand_id: null,
    properties: null,
    user_profile,
    ...more,
  });
  const contextOf = (chain: ChainTenant[], recipient?: Partial<LoadedRecipient>): RoutingContext => ({
    integrations: [],
    tenant: { workspace_id: 'w', tenant_id: chain.at(-1)?.tenant_id ?? '', chain, defaults: [] },
    ...(recipient && { recipient: { profile: {}, ...recipient } }),
  });

  it('merges the profiles of the tenants, the user, the member and the send, in this order', () => {
    const context = contextOf(
      [level('root', { from: 'root', a: 1, b: 1, c: 1, d: 1 }), level('leaf', { from: 'leaf', b: 2 }), level('none', null)],
      {
        profile: { from: 'stored', c: 3 },
        member_profile: { from: 'member', d: 4 },
      },
    );
    const { stored, merged } = profilesOf(sendRequest({ profile: { from: 'send' } }), context);
    expect(stored).toEqual({ from: 'member', a: 1, b: 2, c: 3, d: 4 });
    expect(merged).toEqual({ from: 'send', a: 1, b: 2, c: 3, d: 4 });
  });

  it('merges objects deeply and replaces all other values', () => {
    const context = contextOf([level('t', { slack: { access_token: 'x' }, tags: [1, 2] })], {
      profile: { slack: { user_id: 'u' }, tags: [3] },
    });
    expect(profilesOf(sendRequest({ profile: {} }), context).merged).toEqual({ slack: { access_token: 'x', user_id: 'u' }, tags: [3] });
  });

  it('loses the fields that the send sets to null, but none by a stored null', () => {
    const context = contextOf([level('t', { a: 1, deep: { b: 1, c: 1 } })], { profile: { a: null } });
    expect(profilesOf(sendRequest({ profile: { deep: { b: null } } }), context)).toEqual({
      stored: { a: null, deep: { b: 1, c: 1 } },
      merged: { a: null, deep: { c: 1 } },
    });
    expect(profilesOf(sendRequest({ profile: { a: null } }), context).merged).not.toHaveProperty('a');
  });

  it('comes with the properties and the brand of the nearest tenant', () => {
    const context = contextOf([
      level('root', null, { brand_id: 'far', properties: { color: 'red', size: 1 } }),
      level('mid', null, { brand_id: 'near', properties: { color: 'blue' } }),
      level('leaf', null),
    ]);
    expect(tenantVariables(context)).toMatchObject({ id: 'leaf', name: 'leaf', properties: { color: 'blue', size: 1 } });
    expect(tenantBrand(context)).toBe('near');
    expect(tenantVariables({ integrations: [] })).toBeUndefined();
  });
});
