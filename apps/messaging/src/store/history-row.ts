import { deepMerge } from '@tidings/contracts/core/deep-merge';
import type { RenderedEmail } from '@tidings/providers/email';
import type { HistoryEvent } from '@tidings/contracts/messaging/messages';

/** What a RENDERED event keeps of an e-mail. */
export interface EmailOutput {
  subject: string;
  html: string;
  text: string;
  /** Where they are not the provider's own. Not shown. */
  from?: string;
  reply_to?: string;
}

/** The e-mail that a provider is given. */
export function toRenderedEmail({ subject, html, text, from, reply_to }: EmailOutput): RenderedEmail {
  return { subject, html, text, ...(from && { from }), ...(reply_to && { replyTo: reply_to }) };
}

type Fields = Record<string, unknown>;

/**
 * The events of a message's first step, as they are stored: what follows from the events before is left out, because every
 * byte of a history row is written for every message. `expandEvents` is the inverse.
 *
 * - PROFILE_LOADED keeps the stored profile; the received one stands in ENQUEUED, the merged one follows from both.
 * - RENDERED keeps subject, html and text; title and body say the same.
 */
export function loadedEvent(ts: number, storedProfile: Fields): HistoryEvent {
  return { ts, type: 'PROFILE_LOADED', stored_profile: storedProfile };
}

/** The profile that a send is made with: the fields of the request over the stored ones, where `null` removes. */
export function mergedProfile(stored: Fields, received: Fields): Fields {
  return deepMerge(stored, received, { nullRemoves: true });
}

/** The events of one stored step as the interface shows them; none is earlier than `atMs`, whatever clock wrote it. */
export function expandEvents(events: readonly HistoryEvent[], atMs: number): HistoryEvent[] {
  let received: Fields = {};
  return events.map((event) => {
    const ts = Math.max(event.ts, atMs);
    if (event.type === 'ENQUEUED') received = event.profile as Fields;
    if (event.type === 'PROFILE_LOADED') {
      const stored = event.stored_profile as Fields;
      return { ts, type: event.type, merged_profile: mergedProfile(stored, received), received_profile: received, stored_profile: stored };
    }
    if (event.type === 'RENDERED') {
      const { subject, html, text } = event.output as EmailOutput;
      return { ...event, ts, output: { html, title: subject, body: text, subject, text, blocks: [] } };
    }
    return { ...event, ts };
  });
}
