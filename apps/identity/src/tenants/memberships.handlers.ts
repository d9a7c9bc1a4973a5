import type { CallContext } from '@tidings/contracts/core/context';
import { assertStorable } from '@tidings/contracts/core/text';
import { type CheckedMemberships, type CheckMemberships, memberships } from '@tidings/contracts/identity/tenant-members';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';

/** In the order asked. The subqueries keep the plan what it must be, two looks into a primary key for each, whatever is stored. */
const CHECK = statement(
  'memberships-check',
  `select coalesce((select true from user_tenants member
                     where member.workspace_id = $1 and member.user_id = asked.user_id and member.tenant_id = asked.tenant_id), false)
          and coalesce((select true from tenants tenant
                         where tenant.workspace_id = $1 and tenant.tenant_id = asked.tenant_id), false) as belongs
     from unnest($2::text[], $3::text[]) with ordinality as asked (user_id, tenant_id, place)
    order by asked.place`,
);

@Handles(memberships)
export class MembershipsHandlers {
  constructor(private readonly db: Database) {}

  /** One statement, however many are asked. */
  async check({ workspaceId }: CallContext, { memberships: asked, ...rest }: CheckMemberships): Promise<CheckedMemberships> {
    rest satisfies Record<string, never>;
    assertStorable(asked, 'memberships');
    if (asked.length === 0) return { belongs: [] };
    const rows = await this.db.query<{ belongs: boolean }>(CHECK, [
      workspaceId,
      asked.map(({ user_id }) => user_id),
      asked.map(({ tenant_id }) => tenant_id),
    ]);
    return { belongs: rows.map(({ belongs }) => belongs) };
  }
}
