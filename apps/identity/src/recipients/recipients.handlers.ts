import type { CallContext } from '@tidings/contracts/core/context';
import { assertStorable } from '@tidings/contracts/core/text';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { type LoadedRecipients, type LoadRecipients, recipients, RECIPIENTS_CHARS_MAX } from '@tidings/contracts/identity/recipients';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';

/**
 * One row for each pair asked, in the order asked. The subquery keeps the plan what it must be, one look into the primary
 * key for each pair, however little the planner knows of the table. The rows that are missing are inserted in the order of
 * the key, so that two loads of the same newcomers cannot wait for each other in a circle.
 */
const LOAD = statement(
  'recipients-load',
  `with asked as materialized (
     select pair.workspace_id, pair.user_id, pair.place,
            (select stored.profile from profiles stored
              where stored.workspace_id = pair.workspace_id and stored.user_id = pair.user_id) as profile
       from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, place)
   ), created as (
     insert into profiles (workspace_id, user_id, profile)
     select distinct workspace_id, user_id collate "C", '{}'::jsonb from asked where profile is null order by 1, 2
     on conflict do nothing
   )
   select coalesce(profile, '{}')::text as profile from asked order by place`,
);

@Handles(recipients)
export class RecipientsHandlers {
  constructor(private readonly db: Database) {}

  async load(_context: CallContext, { recipients: asked, ...rest }: LoadRecipients): Promise<LoadedRecipients> {
    rest satisfies Record<string, never>;
    assertStorable(asked, 'recipients');
    const rows = await this.db.query<{ profile: string }>(LOAD, [
      asked.map(({ workspace_id }) => workspace_id),
      asked.map(({ user_id }) => user_id),
    ]);
    return { recipients: beginningOf(rows).map(({ profile }) => ({ profile: JSON.parse(profile) as ProfileFields })) };
  }
}

/** As many rows as one answer may hold, and at least one. */
function beginningOf(rows: { profile: string }[]): { profile: string }[] {
  let chars = 0;
  const end = rows.findIndex(({ profile }) => (chars += profile.length) > RECIPIENTS_CHARS_MAX);
  return end === -1 ? rows : rows.slice(0, Math.max(end, 1));
}
