/** A file that travels with an e-mail. */
export interface EmailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Where whoever reads a mail says that they want no more like it. */
export interface ListUnsubscribe {
  /** An https page. */
  readonly url?: string;
  /** An e-mail address that takes such wishes. */
  readonly mailto?: string;
  /** The page takes a POST of `List-Unsubscribe=One-Click` as the wish itself, without a login or a question. */
  readonly oneClick?: boolean;
}

/** What every e-mail provider is given: a finished mail, nothing left to fill in. At least one of `html` and `text` is set. */
export interface RenderedEmail {
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  /** `address` or `Name <address>`; without it the provider's own default sender. */
  readonly from?: string;
  /** One address or several, with commas between them. */
  readonly replyTo?: string;
  /** Who gets a copy, each `address` or `Name <address>`. */
  readonly cc?: readonly string[];
  /** Who gets a copy without anybody else learning of it: in no header. */
  readonly bcc?: readonly string[];
  readonly listUnsubscribe?: ListUnsubscribe;
  readonly attachments?: readonly EmailAttachment[];
}

export interface EmailRecipient {
  readonly email: string;
  readonly name?: string;
}
