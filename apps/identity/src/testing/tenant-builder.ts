import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type PutTenant, type Tenant, tenants } from '@tidings/contracts/identity/tenants';
import { contextOf } from '@tidings/testing/context-of';
import type { RunningIdentity } from './start-identity';

/** Creates or replaces a tenant, with nothing but a name by default. */
export function buildTenant(
  call: RunningIdentity['call'],
  context: CallContext,
  tenant_id: string,
  overrides: Partial<PutTenant> = {},
): Promise<Tenant> {
  return call(tenants.replace, context, { tenant_id, name: `The ${tenant_id}`, ...overrides });
}

/** Creates tenants in a workspace of their own, each below the one before it. */
export async function buildChain(call: RunningIdentity['call'], ...ids: string[]): Promise<CallContext> {
  const context = contextOf(randomUUID());
  for (const [index, id] of ids.entries()) await buildTenant(call, context, id, { parent_tenant_id: ids[index - 1] });
  return context;
}
