import { IsIn } from 'class-validator';
import { Flag, Int, IsListOf, OptionalFlag, OptionalInt, OptionalText, Text } from '../core/fields';
import { defineOperations } from '../core/operation';
import { PROVIDER_STATES } from './provider-pauses';
import { NoFields } from './senders';

/** Waiting deliveries of a provider that are counted. */
export const WAITING_COUNTED_MAX = 1_000;

const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;

/** Whether messages are sent with a provider, and what waits for it. Times are ms since the epoch. */
export class ProviderHealth {
  /** Id of the configuration; `default` for a provider that operators configured for all workspaces. @example "prv_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** The kind, by its key in the catalog. @example "smtp" */
  @Text provider: string;

  /** Its channel. @example "email" */
  @Text channel: string;

  /** Name for people. @example "smtp (office)" */
  @Text title: string;

  /** The alias of the configuration; absent if it has none. @example "office" */
  @OptionalText alias?: string;

  /** `active`; `disabled` by the workspace: its messages use other routes; `paused` by an operator: its messages wait. @example "active" */
  @IsIn(PROVIDER_STATES) state: (typeof PROVIDER_STATES)[number];

  /** Whether the workspace uses it, once no pause stops it. @example true */
  @Flag enabled: boolean;

  /** Since when it is paused. @example 1772359200000 */
  @OptionalInt paused_at?: number;

  /** The operator who paused it, or `bounce-guard`. @example "anna" */
  @OptionalText paused_by?: string;

  /** What the pause names, by which it is resumed: this provider, or its kind. @example "smtp" */
  @OptionalText paused_name?: string;

  /** Whether it is paused in all workspaces. @example false */
  @OptionalFlag paused_in_all?: boolean;

  /**
   * Of the process that answers, as each has its own: `open` while it does not call a provider that kept failing, `half-open` when the next
   * call is a trial. @example "closed"
   */
  @IsIn(BREAKER_STATES) breaker: (typeof BREAKER_STATES)[number];

  /** Until when an open breaker admits no call. @example 1772359260000 */
  @OptionalInt open_until?: number;

  /** Deliveries that wait for it or are in progress; 1,000: at least so many. @example 12 */
  @Int waiting: number;

  /** Those of them that failed before and will be retried. @example 3 */
  @Int retried: number;

  /** Calls of the last five minutes, in all processes; those of the last five seconds may be missing. @example 420 */
  @Int calls: number;

  /** Those of them that failed for another reason than their recipient. @example 2 */
  @Int calls_failed: number;

  /** Ms that 99 of 100 of these calls did not exceed, within 20 %; absent without a call. @example 181 */
  @OptionalInt call_p99_ms?: number;
}

class ProvidersHealth {
  /** The configurations in the order in which they are tried, then the providers of the operators. */
  @IsListOf(ProviderHealth) results: ProviderHealth[];
}

export const providerHealth = defineOperations(
  'messaging.provider-health',
  'providers',
  {
    /** Breakers are those of the process that answers. What failed for good is in `GET /messages?provider=`. */
    list: {
      route: 'GET /console/api/providers/health',
      summary: 'Get the state, the breaker and the waiting messages of each provider',
      request: NoFields,
      response: ProvidersHealth,
    },
  },
  { generation: 'own' },
);
