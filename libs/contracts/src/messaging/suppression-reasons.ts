import type { MessageReason } from './message-states';

/** What a reason of suppression means for a message. */
interface SuppressionRule {
  /** The reason of a message that ends by it. */
  readonly reason: Extract<MessageReason, 'BOUNCED' | 'UNSUBSCRIBED'>;
  readonly reasonCode?: 'HARD';
  /** Whether a send with `pass_unsubscribed` passes over it. */
  readonly canBePassed: boolean;
}

/** Why addresses are suppressed, the weakest reason first: a report never replaces a stronger one. */
export const SUPPRESSION_RULES = {
  unsubscribe: { reason: 'UNSUBSCRIBED', canBePassed: true },
  manual: { reason: 'UNSUBSCRIBED', canBePassed: false },
  hard_bounce: { reason: 'BOUNCED', reasonCode: 'HARD', canBePassed: false },
  complaint: { reason: 'BOUNCED', canBePassed: false },
} as const satisfies Readonly<Record<string, SuppressionRule>>;

export type SuppressionReason = keyof typeof SUPPRESSION_RULES;
/** The weakest first. */
export const SUPPRESSION_REASONS = Object.keys(SUPPRESSION_RULES) as SuppressionReason[];
