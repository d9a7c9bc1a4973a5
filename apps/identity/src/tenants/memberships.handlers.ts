import type { CallContext } from '@tidings/contracts/core/context';
import { type CheckMemberships, memberships } from '@tidings/contracts/identity/tenant-members';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';

// SQL because fan-outs check many at once.
/** In input order. The subqueries make the plan two primary key lookups for each row, whatever is stored. */
const CHECK = statement(
  'memberships-check',
  `select coalesce((select true from user_tenants member
                     where member.workspace_id = $1 and member.user_id = input.user_id and member.tenant_id = input.tenant_id), false)
          and coalesce((select true from tenants tenant
                         where tenant.workspace_id = $1 and tenant.tenant_id = input.tenant_id), false) as belongs
     from unnest($2::text[], $3::text[]) with ordinality as input (user_id, tenant_id, ordinal)
    order by input.ordinal`,
);

@Handles(memberships)
export class MembershipsHandlers {
  constructor(private readonly database: Database) {}

  /** One statement for any number of memberships. */
  async check({ workspaceId }: CallContext, { memberships: requested }: CheckMemberships) {
    if (requested.length === 0) return { belongs: [] };
    const rows = await this.database.query<{ belongs: boolean }>(CHECK, [workspaceId, ...columnsOf(requested, 'user_id', 'tenant_id')]);
    return { belongs: rows.map(({ belongs }) => belongs) };
  }
}
