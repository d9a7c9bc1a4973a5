import type { ChainTenant, LoadedRecipient } from '@tidings/contracts/identity/recipients';
import { ask } from './deciding.fixture';
import { type RoutingContext, profilesOf, tenantBrand, tenantVariables } from './routing-context';

describe('a profile', () => {
  const level = (tenant_id: string, user_profile: Record<string, unknown> | null, more: Partial<ChainTenant> = {}): ChainTenant => ({
    tenant_id,
    name: tenant_id,
    brand_id: null,
    properties: null,
    user_profile,
    ...more,
  });
  const known = (chain: ChainTenant[], recipient?: Partial<LoadedRecipient>): RoutingContext => ({
    integrations: [],
    tenant: { workspace_id: 'w', tenant_id: chain.at(-1)?.tenant_id ?? '', chain, defaults: [] },
    ...(recipient && { recipient: { profile: {}, ...recipient } }),
  });

  it('is merged from the tenants down, the stored one, the member’s and that of the send', () => {
    const facts = known(
      [level('root', { from: 'root', a: 1, b: 1, c: 1, d: 1 }), level('leaf', { from: 'leaf', b: 2 }), level('none', null)],
      {
        profile: { from: 'stored', c: 3 },
        member_profile: { from: 'member', d: 4 },
      },
    );
    const { stored, merged } = profilesOf(ask({ profile: { from: 'send' } }), facts);
    expect(stored).toEqual({ from: 'member', a: 1, b: 2, c: 3, d: 4 });
    expect(merged).toEqual({ from: 'send', a: 1, b: 2, c: 3, d: 4 });
  });

  it('has objects merged deeply, and everything else replaced', () => {
    const facts = known([level('t', { slack: { access_token: 'x' }, tags: [1, 2] })], {
      profile: { slack: { user_id: 'u' }, tags: [3] },
    });
    expect(profilesOf(ask({ profile: {} }), facts).merged).toEqual({ slack: { access_token: 'x', user_id: 'u' }, tags: [3] });
  });

  it('loses what the send takes away with null, and nothing by a stored null', () => {
    const facts = known([level('t', { a: 1, deep: { b: 1, c: 1 } })], { profile: { a: null } });
    expect(profilesOf(ask({ profile: { deep: { b: null } } }), facts)).toEqual({
      stored: { a: null, deep: { b: 1, c: 1 } },
      merged: { a: null, deep: { c: 1 } },
    });
    expect(profilesOf(ask({ profile: { a: null } }), facts).merged).not.toHaveProperty('a');
  });

  it('comes with the tenant’s properties and brand, each the nearest', () => {
    const facts = known([
      level('root', null, { brand_id: 'far', properties: { color: 'red', size: 1 } }),
      level('mid', null, { brand_id: 'near', properties: { color: 'blue' } }),
      level('leaf', null),
    ]);
    expect(tenantVariables(facts)).toMatchObject({ id: 'leaf', name: 'leaf', properties: { color: 'blue', size: 1 } });
    expect(tenantBrand(facts)).toBe('near');
    expect(tenantVariables({ integrations: [] })).toBeUndefined();
  });
});
