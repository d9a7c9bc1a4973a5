import { Max, Min } from 'class-validator';
import { CheckedBy, Int, Optional, OptionalText, Text } from '../core/fields';
import { defineOperations, Nothing } from '../core/operation';
import { IsRate, parseRate, RATE_FORM } from '../core/rate';
import { NamedKey } from './keys';

/** The rate of a workspace without any limit, whatever `TIDINGS_RATE_LIMIT` is. */
export const UNLIMITED = 'none';
export const QUOTA_MAX = 1_000_000_000;

const Quota = Optional(Int, Min(0), Max(QUOTA_MAX));

const IsRateOrNone = CheckedBy(
  'isRateOrNone',
  (value) => value === UNLIMITED || (typeof value === 'string' && parseRate(value) !== undefined),
  `must be ${RATE_FORM}, or "${UNLIMITED}"`,
);

/** The limits of a workspace. */
export class WorkspaceLimits {
  /** Requests of all keys together: `50/s`, `none`, or `null` for the installation's default. @example "50/s" */
  @OptionalText rate_limit?: string | null;

  /** The rate in effect; `null` without a limit. @example "50/s" */
  @OptionalText effective_rate_limit?: string | null;

  /** The most stored profiles; `null` without a quota. @example 100000 */
  @Quota profiles?: number | null;

  /** The most lists; `null` without a quota. @example 1000 */
  @Quota lists?: number | null;

  /** The most templates, those of tenants included; `null` without a quota. @example 1000 */
  @Quota templates?: number | null;

  /** The most users in bulk jobs that are not finished; `null` without a quota. @example 1000000 */
  @Quota bulk_rows?: number | null;

  /** The most suppressed addresses; `null` without a quota. @example 1000000 */
  @Quota suppressions?: number | null;
}

/** Absent fields stay as they are. */
export class ChangeWorkspaceLimits {
  /** Requests of all keys together: `50/s`, `600/m`, `1000/h`; `none` for no limit, `null` for the installation's default. @example "50/s" */
  @Optional(IsRateOrNone) rate_limit?: string | null;

  /** The most stored profiles; `null` removes the quota. @example 100000 */
  @Quota profiles?: number | null;

  /** The most lists; `null` removes the quota. @example 1000 */
  @Quota lists?: number | null;

  /** The most templates, those of tenants included; `null` removes the quota. @example 1000 */
  @Quota templates?: number | null;

  /** The most users in bulk jobs that are not finished; `null` removes the quota. @example 1000000 */
  @Quota bulk_rows?: number | null;

  /** The most suppressed addresses; `null` removes the quota. Addresses that providers report are stored beyond it. @example 1000000 */
  @Quota suppressions?: number | null;
}

export class ChangeKeyLimit extends NamedKey {
  /** Requests of the key: `50/s`, `600/m`, `1000/h`; `null` for none beside that of the workspace. @example "10/s" */
  @Optional(IsRate) rate_limit: string | null;
}

export class KeyLimit {
  /** Id of the API key. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Text key_id: string;

  /** Requests of the key; `null` for none beside that of the workspace. @example "10/s" */
  @OptionalText rate_limit: string | null;
}

export const limits = defineOperations('identity.limits', 'internal', {
  /** The limits of the caller's workspace. `not_found` if it does not exist. */
  retrieve: {
    summary: 'Get the limits of a workspace',
    request: Nothing,
    response: WorkspaceLimits,
    repeatable: true,
  },
  /** Changes the limits of the caller's workspace, in every gateway within a second. `not_found` if it does not exist. */
  change: {
    command: true,
    audit: 'own',
    summary: 'Change the limits of a workspace',
    request: ChangeWorkspaceLimits,
    response: WorkspaceLimits,
  },
  /** Changes the rate of a key of the caller's workspace. `not_found` if it does not exist. */
  changeKey: {
    command: true,
    audit: 'own',
    summary: 'Change the rate limit of an API key',
    request: ChangeKeyLimit,
    response: KeyLimit,
  },
});
