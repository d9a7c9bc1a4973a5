import { OptionalTexts, OptionalTextsOf } from '../core/fields';
import { defineOperations } from '../core/operation';

/** Maximum domains of one workspace. */
const SENDER_DOMAINS_MAX = 100;
const DOMAIN_LENGTH_MAX = 253;

/** The request of an operation that needs nothing but its workspace. */
export class NoFields {}

export class ReplaceSenders {
  /**
   * Domains from which the workspace may send with the default e-mail provider, at most 100; subdomains are domains of their own. `null`:
   * those of the installation.
   * @example ["shop.example.com"]
   */
  @OptionalTextsOf(SENDER_DOMAINS_MAX, 1, DOMAIN_LENGTH_MAX) domains?: string[] | null;
}

export class Senders {
  /** The domains of the workspace; `null`: it has none of its own, so those of the installation apply. @example ["shop.example.com"] */
  @OptionalTexts domains: string[] | null;

  /** The domains from which it may send, with that of the default sender; `null`: any. @example ["example.com", "shop.example.com"] */
  @OptionalTexts allowed: string[] | null;
}

export class AllowedSenders {
  /** The domains from which the sends of the workspace may come; `null`: any. */
  @OptionalTexts allowed: string[] | null;
}

/** From which domains a workspace may send with the operator's default e-mail provider. */
export const senders = defineOperations('messaging.senders', 'internal', {
  retrieve: {
    summary: 'Show from which domains a workspace may send with the default e-mail provider',
    request: NoFields,
    response: Senders,
    repeatable: true,
  },
  replace: {
    audit: 'workspace:senders-changed',
    command: true,
    summary: 'Replace the domains from which a workspace may send with the default e-mail provider',
    request: ReplaceSenders,
    response: Senders,
  },
  /** What applies to sends: any domain where the workspace has an e-mail provider of its own. */
  allowed: {
    summary: 'Show from which domains the sends of a workspace may come',
    request: NoFields,
    response: AllowedSenders,
    repeatable: true,
  },
});
