import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { List } from '@tidings/contracts/audience/lists';
import { statement } from '@tidings/persistence/database';

/** A list as it is answered from the table. */
export interface ListRow {
  list_id: string;
  name: string;
  preferences: RecipientPreferences | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'list.list_id, list.name, list.preferences, list.created_at, list.updated_at';

export const RETRIEVE = statement(
  'lists-retrieve',
  `select ${COLUMNS} from lists list where workspace_id = $1 and list_id = $2 and deleted_at is null`,
);

/** After the list of this id; every id comes after the empty text. */
export const PAGE = statement(
  'lists-page',
  `select ${COLUMNS} from lists list where workspace_id = $1 and list_id > $2 and deleted_at is null order by list_id limit $3`,
);

/** The same of the lists a pattern stands for; only lists that are there have patterns. The subquery makes it one look-up for each. */
export const PAGE_OF_PATTERN = statement(
  'lists-page-of-pattern',
  `select ${COLUMNS}
     from (select list_id from list_patterns where workspace_id = $1 and pattern = $4 and list_id > $2 order by list_id limit $3) found
     cross join lateral (select * from lists where workspace_id = $1 and list_id = found.list_id and deleted_at is null limit 1) list
    order by list.list_id`,
);

export function toList({ list_id, name, preferences, created_at, updated_at }: ListRow): List {
  return {
    id: list_id,
    name,
    created: created_at.toISOString(),
    updated: updated_at.toISOString(),
    ...(preferences !== null && { preferences }),
  };
}
