import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { statement } from '@tidings/persistence/database';

/** A member of a page. */
export interface MemberRow {
  user_id: string;
  list_id: string;
  preferences: RecipientPreferences | null;
}

/** A row of a scan of all subscriptions: a member, and how far the scan came. */
export interface ScannedRow extends MemberRow {
  /** The last scanned subscription, the same in every row; the only content of the row where no member was found. */
  last_user_id: string;
  last_list_id: string;
  last_set_id: string;
  scanned: number;
}

/**
 * Characters of preferences that one statement may return, in PostgreSQL's spelling, which is half as long again as ours.
 * Twice a page's bytes: where rows are cut off, those before them fill the page.
 */
const PREFERENCES_CHARS_MAX = 8_000_000;

/** Rows with `user_id`, `list_id`, `preferences` in order, up to `PREFERENCES_CHARS_MAX` characters of preferences. */
const bounded = (rows: string) => `
  select user_id, list_id, preferences
    from (select *, sum(coalesce(octet_length(preferences::text), 0)) over (order by user_id rows between unbounded preceding and 1 preceding)
                    as before from (${rows}) found) counted
   where coalesce(before, 0) < ${PREFERENCES_CHARS_MAX}
   order by user_id`;

// SQL because a fan-out reads pages that end at a number of rows or bytes, each along an index.
/** Subscribers of a list after a user. $1 workspace, $2 list, $3 user, $4 limit. */
export const OF_LIST = statement(
  'list-members-of-list',
  bounded(`
    select user_id, list_id, preferences from subscriptions
     where workspace_id = $1 and user_id > $3
       and set_id = (select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null)
     order by user_id limit $4`),
);

/** The lists that a pattern matches. $1 workspace, $2 pattern, $3 limit. */
export const LISTS_OF_PATTERN = statement(
  'list-members-lists-of-pattern',
  'select list_id from list_patterns where workspace_id = $1 and pattern = $2 order by list_id limit $3',
);

/**
 * Subscribers of a few lists from a user on, without the user where $5 is false. Each list yields up to a page from its
 * index; the page is the first of all. $1 workspace, $2 pattern, $3 user, $4 limit.
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
 * Subscribers of many lists: scans $5 subscriptions of the workspace in the order of users and selects each user's first of a
 * matching list. `after` is the end of the previous scan: behind a user, or behind one of a user's subscriptions.
 */
const ofManyLists = (after: string) => `
  with scanned as materialized (
    select user_id, list_id, set_id from subscriptions where workspace_id = $1 and ${after}
     order by user_id, list_id, set_id limit $5),
  matching as materialized (
    select distinct on (user_id) user_id, list_id, set_id from scanned
     where exists (select from list_patterns named where named.workspace_id = $1 and named.pattern = $2 and named.list_id = scanned.list_id)
       and exists (select from lists list where list.workspace_id = $1 and list.list_id = scanned.list_id
                                            and list.set_id = scanned.set_id and list.deleted_at is null)
     order by user_id, list_id, set_id limit $4),
  members as (${bounded(`
    select matching.user_id, matching.list_id, own.preferences
      from matching cross join lateral (select preferences from subscriptions
                                     where workspace_id = $1 and set_id = matching.set_id and user_id = matching.user_id limit 1) own`)})
  select members.*, last.*
    from (select user_id as last_user_id, list_id as last_list_id, set_id as last_set_id, (select count(*)::integer from scanned) as scanned
            from scanned order by user_id desc, list_id desc, set_id desc limit 1) last
    left join members on true
   order by members.user_id`;

/** $1 workspace, $2 pattern, $3 user, $4 limit, $5 subscriptions to scan. */
export const OF_MANY_LISTS = statement('list-members-of-many-lists', ofManyLists('user_id > $3'));
/** Also $6 list, $7 set. */
export const OF_MANY_LISTS_WITHIN = statement(
  'list-members-of-many-lists-within',
  ofManyLists('(user_id, list_id, set_id) > ($3, $6, $7::bigint)'),
);

/** Preferences of lists that have some, in the order of $2, up to `PREFERENCES_CHARS_MAX`. $1 workspace, $2 lists. */
export const PREFERENCES_OF_LISTS = statement(
  'list-members-preferences-of-lists',
  `select list_id, preferences
     from (select list.list_id, list.preferences, input.ordinal,
                  sum(octet_length(list.preferences::text)) over (order by input.ordinal rows between unbounded preceding and 1 preceding) as before
             from unnest($2::text[]) with ordinality as input (list_id, ordinal)
             cross join lateral (select list_id, preferences from lists
                                  where workspace_id = $1 and list_id = input.list_id and deleted_at is null limit 1) list
            where list.preferences is not null) counted
    where coalesce(before, 0) < ${PREFERENCES_CHARS_MAX}
    order by ordinal`,
);
