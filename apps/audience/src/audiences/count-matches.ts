import { AUDIENCE_COUNTED_MAX, AUDIENCE_EXAMPLES_MAX, type AudienceCount } from '@tidings/contracts/audience/audience-counts';
import type { Database } from '@tidings/persistence/database';
import type { Filter } from './filter/filter';
import { evaluatePeople, readPage } from './rebuild/build-page';

const PAGE_SIZE = 500;
/** Longest time of a count, in ms; the page that exceeds it is counted. */
const COUNTING_MS_MAX = 1_000;

/** Counts the people of a workspace whom a filter matches, in the order of their ids, up to `AUDIENCE_COUNTED_MAX` or for `timeMs`. */
export async function countMatches(
  database: Database,
  workspaceId: string,
  rule: Filter | null,
  timeMs = COUNTING_MS_MAX,
): Promise<AudienceCount> {
  const endsAt = performance.now() + timeMs;
  const found: string[] = [];
  let evaluated = 0;
  let checkpoint: string | undefined = '';
  while (checkpoint !== undefined && found.length <= AUDIENCE_COUNTED_MAX) {
    const page = await readPage(database, { workspaceId, checkpoint, rule }, PAGE_SIZE);
    for (const [user, { matches }] of await evaluatePeople(rule, page)) if (matches) found.push(user);
    evaluated += page.filter(({ has_profile }) => has_profile).length;
    checkpoint = page.length < PAGE_SIZE ? undefined : page.at(-1)!.user_id;
    if (performance.now() >= endsAt) break;
  }
  const matched = Math.min(found.length, AUDIENCE_COUNTED_MAX);
  const complete = checkpoint === undefined && found.length === matched;
  return { matched, evaluated, complete, users: found.slice(0, AUDIENCE_EXAMPLES_MAX) };
}
