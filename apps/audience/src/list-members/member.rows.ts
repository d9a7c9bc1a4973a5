import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { statement } from '@tidings/persistence/database';

/** A member of a page to be, without what is preferred. */
export interface MemberRow {
  user_id: string;
  list_id: string;
  preferences: RecipientPreferences | null;
}

/** How far a look at all subscriptions came: the last of them, and whether there are more. */
export interface ScannedRow extends MemberRow {
  /** The last subscription that was looked at, the same in every row; a row of nothing else where no member was found. */
  last_user_id: string;
  last_list_id: string;
  last_set_id: string;
  scanned: number;
}

/**
 * Characters of preferences that one statement may bring, as PostgreSQL writes them: half as much again as we do. Twice a page's
 * bytes, so that what was cut off by it never goes unnoticed: the rows before fill the page.
 */
const PREFERENCES_CHARS_MAX = 8_000_000;

/** Takes rows with `user_id`, `list_id`, `preferences` in order, and of those after so many characters of preferences none. */
const bounded = (rows: string): string => `
  select user_id, list_id, preferences
    from (select *, sum(coalesce(octet_length(preferences::text), 0)) over (order by user_id rows between unbounded preceding and 1 preceding)
                    as before from (${rows}) found) counted
   where coalesce(before, 0) < ${PREFERENCES_CHARS_MAX}
   order by user_id`;

/** Subscribers of a list after a user. $1 workspace, $2 list, $3 user, $4 limit. */
export const OF_LIST = statement(
  'list-members-of-list',
  bounded(`
    select user_id, list_id, preferences from subscriptions
     where workspace_id = $1 and user_id > $3
       and set_id = (select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null)
     order by user_id limit $4`),
);

/** The lists a pattern stands for: as many as asked. */
export const LISTS_OF_PATTERN = statement(
  'list-members-lists-of-pattern',
  'select list_id from list_patterns where workspace_id = $1 and pattern = $2 order by list_id limit $3',
);

/**
 * Subscribers of a few lists, from a user on; $5 says whether this user is one of them still. Each list gives as many as a page
 * holds, from its index; the page is the first of them all. $1 workspace, $2 pattern, $3 user, $4 limit.
 */
export const OF_FEW_LISTS = statement(
  'list-members-of-few-lists',
  bounded(`
    select first.user_id, first.list_id, own.preferences
      from (select distinct on (subscriber.user_id) subscriber.user_id, list.list_id, list.set_id
              from list_patterns named
              cross join lateral (select list_id, set_id from lists
                                   where workspace_id = $1 and list_id = named.list_id and deleted_at is null limit 1) list
              cross join lateral (select user_id from subscriptions
                                   where workspace_id = $1 and set_id = list.set_id and user_id >= $3 and (user_id > $3 or $5)
                                   order by user_id limit $4) subscriber
             where named.workspace_id = $1 and named.pattern = $2
             order by subscriber.user_id, list.list_id
             limit $4) first
      cross join lateral (select preferences from subscriptions
                           where workspace_id = $1 and set_id = first.set_id and user_id = first.user_id limit 1) own`),
);

/**
 * Subscribers of many lists: looks at so many subscriptions of the workspace, in the order of users, and keeps each user's first of a
 * list that the pattern stands for. `after` is where the look before ended: behind a user, or behind one of a user's subscriptions.
 */
const ofManyLists = (after: string): string => `
  with scanned as materialized (
    select user_id, list_id, set_id from subscriptions where workspace_id = $1 and ${after}
     order by user_id, list_id, set_id limit $5),
  kept as materialized (
    select distinct on (user_id) user_id, list_id, set_id from scanned
     where exists (select from list_patterns named where named.workspace_id = $1 and named.pattern = $2 and named.list_id = scanned.list_id)
       and exists (select from lists list where list.workspace_id = $1 and list.list_id = scanned.list_id
                                            and list.set_id = scanned.set_id and list.deleted_at is null)
     order by user_id, list_id, set_id limit $4),
  members as (${bounded(`
    select kept.user_id, kept.list_id, own.preferences
      from kept cross join lateral (select preferences from subscriptions
                                     where workspace_id = $1 and set_id = kept.set_id and user_id = kept.user_id limit 1) own`)})
  select members.*, last.*
    from (select user_id as last_user_id, list_id as last_list_id, set_id as last_set_id, (select count(*)::integer from scanned) as scanned
            from scanned order by user_id desc, list_id desc, set_id desc limit 1) last
    left join members on true
   order by members.user_id`;

/** $1 workspace, $2 pattern, $3 user, $4 limit, $5 subscriptions to look at. */
export const OF_MANY_LISTS = statement('list-members-of-many-lists', ofManyLists('user_id > $3'));
/** $6 list, $7 set beside them. */
export const OF_MANY_LISTS_WITHIN = statement(
  'list-members-of-many-lists-within',
  ofManyLists('(user_id, list_id, set_id) > ($3, $6, $7::bigint)'),
);

/** Preferences of lists that have some, in the order asked, up to the bound of characters. */
export const PREFERENCES_OF_LISTS = statement(
  'list-members-preferences-of-lists',
  `select list_id, preferences
     from (select list.list_id, list.preferences, asked.place,
                  sum(octet_length(list.preferences::text)) over (order by asked.place rows between unbounded preceding and 1 preceding) as before
             from unnest($2::text[]) with ordinality as asked (list_id, place)
             cross join lateral (select list_id, preferences from lists
                                  where workspace_id = $1 and list_id = asked.list_id and deleted_at is null limit 1) list
            where list.preferences is not null) counted
    where coalesce(before, 0) < ${PREFERENCES_CHARS_MAX}
    order by place`,
);
