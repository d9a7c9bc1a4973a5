import { Min } from 'class-validator';
import { Int, IsListOf, OptionalText, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import { IsRate } from '../core/rate';

/** Most buckets of one call. */
export const LEASES_MAX = 1_000;

/** Requests that a gateway admitted from one bucket since its last lease. */
export class UsedTokens {
  @Uuid workspace_id: string;

  /** The key of a key's own bucket; absent for the bucket of the workspace. */
  @OptionalText key_id?: string;

  @IsRate rate: string;

  @Int @Min(0) used: number;
}

export class LeaseTokens {
  /** Id of the gateway's process. */
  @Uuid gateway: string;

  /** Each bucket once. */
  @IsListOf(UsedTokens, LEASES_MAX) buckets: UsedTokens[];
}

/** What is left in a bucket, and who shares it. */
export class LeasedTokens {
  /** Below zero after gateways admitted more than there was: it is repaid first. */
  tokens: number;

  /** Gateways that leased from this bucket in the last seconds, the caller included. */
  gateways: number;
}

export class TokenLeases {
  /** One for each requested bucket, in its order. */
  leases: LeasedTokens[];
}

export const rateLeases = defineOperations('identity.rate-leases', 'internal', {
  /** Takes what was used from the buckets; each gateway may then use its share of what is left, and its share of the rate. */
  lease: {
    summary: 'Report used tokens of rate limits, and lease further ones',
    request: LeaseTokens,
    response: TokenLeases,
    deadlineMs: 2_000,
  },
});
