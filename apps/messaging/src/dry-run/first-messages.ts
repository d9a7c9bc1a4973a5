import { DRY_RUN_RECIPIENTS_MAX } from '@tidings/contracts/messaging/dry-runs';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Target } from '@tidings/contracts/messaging/targets';
import { deriveRequest, type NoRecipients, noRecipientsError } from '../expand/derive';
import type { TargetPage } from '../expand/target-pages';

/** Pages of members that are read: a list of which no member meets the filters is not read to its end. */
const PAGES_MAX = 50;

/** The messages to the first recipients of a request. */
interface FirstMessages {
  readonly requests: readonly MessageRequested[];
  /** Whether there may be further recipients. */
  readonly more: boolean;
  /** Why there are none. */
  readonly error?: string;
}

/** The messages to the first recipients of a request, as its expansion makes them. @param pageOf reads a page of a target's recipients */
export async function firstMessages(
  request: MessageRequested,
  pageOf: (target: Target, cursor: string | undefined) => Promise<TargetPage>,
): Promise<FirstMessages> {
  const { targets } = request;
  if (!targets) return { requests: [request], more: false };
  const found = new Map<string, MessageRequested>();
  const reasons: NoRecipients[] = [];
  let pages = 0;
  for (const [index, target] of targets.entries()) {
    let cursor: string | undefined;
    do {
      if (found.size > DRY_RUN_RECIPIENTS_MAX || pages++ === PAGES_MAX) return firstOf(found, true);
      const page = await pageOf(target, cursor);
      for (const recipient of page.recipients) {
        const derived = deriveRequest(request, index, recipient);
        // A user that occurs twice gets the first message.
        if (!found.has(derived.id)) found.set(derived.id, derived);
      }
      if (page.noRecipients && reasons[index] !== 'filtered') reasons[index] = page.noRecipients;
      cursor = page.next;
    } while (cursor !== undefined);
  }
  if (found.size === 0) return { requests: [], more: false, error: noRecipientsError(targets, reasons) };
  return firstOf(found, found.size > DRY_RUN_RECIPIENTS_MAX);
}

function firstOf(found: ReadonlyMap<string, MessageRequested>, more: boolean): FirstMessages {
  return { requests: [...found.values()].slice(0, DRY_RUN_RECIPIENTS_MAX), more };
}
