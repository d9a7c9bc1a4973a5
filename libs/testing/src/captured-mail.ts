import type { Email } from 'postal-mime';
import PostalMime from 'postal-mime';

/** How the server ended a mail's DATA. */
export type Ending = 'accepted' | 'deferred' | 'dropped' | 'hung';

/** A received mail. */
export class CapturedMail {
  private parsed?: Promise<Email>;
  /** With its angle brackets; empty when the mail has none. */
  readonly messageId: string;

  constructor(
    readonly envelope: { readonly from: string; readonly to: readonly string[] },
    /** The bytes after DATA, dots unescaped. Empty when the server stores no content. */
    readonly raw: Buffer,
    readonly ending: Ending,
    /** Milliseconds since the epoch. */
    readonly receivedAt: number,
    headers: string,
  ) {
    this.messageId = /^message-id:\s*(<[^>]*>)/im.exec(headers)?.[1] ?? '';
  }

  /** Whether the server accepted the mail, also when its answer was lost. */
  get isAccepted(): boolean {
    return this.ending !== 'deferred';
  }

  /** Subject, addresses, text, HTML, attachments. */
  parse(): Promise<Email> {
    return (this.parsed ??= PostalMime.parse(this.raw));
  }
}
