import type { CallContext } from '@tidings/contracts/core/context';
import { parseRate } from '@tidings/contracts/core/rate';
import { type LeaseTokens, rateLeases } from '@tidings/contracts/identity/rate-leases';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';

/** The bucket of a whole workspace has no key. */
const NO_KEY = '00000000-0000-0000-0000-000000000000';
/** How long after its last lease a gateway counts as one that shares a bucket, in seconds; gateways in use lease every second. */
const SHARING_SECONDS = 3;

// SQL because one statement takes from many buckets, each locked, in the order of their keys.
/**
 * Fills each bucket up to now, then takes `used` ($6): at most down to a burst below zero, so that no outage is repaid for longer.
 * `gateways` has the time of each gateway's last lease, in seconds; older ones are dropped.
 */
const LEASE = statement(
  'rate-buckets-lease',
  `with now as materialized (select clock_timestamp() as at, extract(epoch from clock_timestamp())::float8 as seconds)
   insert into rate_buckets as bucket (workspace_id, key_id, tokens, burst, per_second, filled_at, gateways)
   select input.workspace_id, input.key_id, input.burst - input.used, input.burst, input.per_second, now.at,
          jsonb_build_object($1::text, now.seconds)
     from unnest($2::uuid[], $3::uuid[], $4::float8[], $5::float8[], $6::float8[]) as input (workspace_id, key_id, burst, per_second, used),
          now
    order by 1, 2
   on conflict (workspace_id, key_id) do update set
     tokens = greatest(-excluded.burst,
       least(excluded.burst, bucket.tokens + excluded.per_second * greatest(0, extract(epoch from excluded.filled_at - bucket.filled_at)))
       - (excluded.burst - excluded.tokens)),
     burst = excluded.burst,
     per_second = excluded.per_second,
     filled_at = greatest(bucket.filled_at, excluded.filled_at),
     gateways = (select coalesce(jsonb_object_agg(other.key, other.value), '{}') from jsonb_each(bucket.gateways) as other, now
                  where other.value::float8 > now.seconds - ${SHARING_SECONDS}) || excluded.gateways
   returning workspace_id, key_id, tokens, (select count(*)::int from jsonb_object_keys(gateways)) as gateways`,
);

interface BucketRow {
  workspace_id: string;
  key_id: string;
  tokens: number;
  gateways: number;
}

@Handles(rateLeases)
export class RateLeasesHandlers {
  constructor(private readonly database: Database) {}

  async lease(_context: CallContext, { gateway, buckets }: LeaseTokens) {
    const inputs = buckets.map(({ workspace_id, key_id = NO_KEY, rate, used }) => {
      const { burst, perSecond } = parseRate(rate)!; // checked by the contract
      return { workspace_id, key_id, burst, perSecond, used };
    });
    const columns = columnsOf(inputs, 'workspace_id', 'key_id', 'burst', 'perSecond', 'used');
    const rows = await this.database.query<BucketRow>(LEASE, [gateway, ...columns]);
    const leases = new Map(rows.map(({ workspace_id, key_id, ...lease }) => [`${workspace_id} ${key_id}`, lease]));
    return { leases: inputs.map(({ workspace_id, key_id }) => leases.get(`${workspace_id} ${key_id}`)!) };
  }
}
