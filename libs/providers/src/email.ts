/** A file attached to an e-mail. */
export interface EmailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Addresses for the reader of a mail to unsubscribe. */
export interface ListUnsubscribe {
  /** An https page. */
  readonly url?: string;
  /** An e-mail address that accepts unsubscriptions. */
  readonly mailto?: string;
  /** The page unsubscribes on a POST of `List-Unsubscribe=One-Click`, without a login or a confirmation. */
  readonly oneClick?: boolean;
}

/** The input of every e-mail provider: a completely rendered mail. At least one of `html` and `text` is set. */
export interface RenderedEmail {
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  /** `address` or `Name <address>`; without it the provider's own default sender. */
  readonly from?: string;
  /** One address or several, separated by commas. */
  readonly replyTo?: string;
  /** Recipients of a copy, each `address` or `Name <address>`. */
  readonly cc?: readonly string[];
  /** Recipients of a blind copy; they appear in no header. */
  readonly bcc?: readonly string[];
  readonly listUnsubscribe?: ListUnsubscribe;
  readonly attachments?: readonly EmailAttachment[];
}

/** An address with the name shown beside it. */
export interface EmailRecipient {
  readonly email: string;
  readonly name?: string;
}
