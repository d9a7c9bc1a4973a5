import type { EmailRecipient, RenderedEmail } from '@tidings/providers/email';

/** A delivery whose attempt is open under this process's lease. */
export interface HeldDelivery {
  workspaceId: string;
  /** As clients know it. */
  messageId: string;
  /** The message id as the store keeps it. */
  uuid: string;
  leaf: number;
  attempt: number;
  channel: string;
  /** Key of the provider that is to be called. */
  provider: string;
  recipient: EmailRecipient;
  email: RenderedEmail;
  /** When the message was accepted, ms since the epoch. */
  enqueuedAt: number;
  /** When it was rendered, ms since the epoch: the date of the e-mail, the same in every attempt. */
  renderedAt: number;
}
