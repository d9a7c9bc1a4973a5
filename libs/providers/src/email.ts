/** A file that travels with an e-mail. */
export interface EmailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** What every e-mail provider is given: a finished mail, nothing left to fill in. At least one of `html` and `text` is set. */
export interface RenderedEmail {
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  /** `address` or `Name <address>`; without it the provider's own default sender. */
  readonly from?: string;
  readonly replyTo?: string;
  readonly attachments?: readonly EmailAttachment[];
}

export interface EmailRecipient {
  readonly email: string;
  readonly name?: string;
}
