import { type AudienceCount, audienceCounts, type CountAudience } from '@tidings/contracts/audience/audience-counts';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { hasScope } from '@tidings/contracts/core/granted';
import { Database } from '@tidings/persistence/database';
import { ConcurrencyLimiter } from '@tidings/rpc/concurrency-limiter';
import { Handles } from '@tidings/rpc/handles';
import { countMatches } from './count-matches';
import { parseFilter } from './filter/parse-filter';

/** Counts of this process that run at once, and that wait: each takes a second at most, so the last one answers in time. */
const COUNTS_AT_ONCE = 2;
const COUNTS_WAITING_MAX = 8;

/** One of them is needed: who stores audiences may look at their members. */
const SUFFICING = ['read:profiles', 'write:audiences'];

@Handles(audienceCounts)
export class AudienceCountsHandlers {
  private readonly limiter = new ConcurrencyLimiter(COUNTS_AT_ONCE, COUNTS_WAITING_MAX);

  constructor(private readonly database: Database) {}

  /** @throws ServiceError `forbidden` for a credential that could ask for fields of profiles in this way, one by one. */
  async count({ workspaceId, scopes }: CallContext, { filter, operator }: CountAudience): Promise<AudienceCount> {
    if (!SUFFICING.some((scope) => hasScope(scopes, scope))) {
      throw new ServiceError('forbidden', `A count reveals profiles: the credential lacks the scope ${SUFFICING[0]}`);
    }
    const { rule } = parseFilter({ filter, operator });
    if (rule === null) return { matched: 0, evaluated: 0, complete: true, users: [] };
    return this.limiter.run(() => countMatches(this.database, workspaceId, rule));
  }
}
