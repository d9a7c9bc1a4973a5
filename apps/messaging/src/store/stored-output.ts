import type { MessageOutputContent, OutputBlock } from '@tidings/contracts/messaging/message-output';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { EmailAttachment, RenderedEmail } from '@tidings/providers/email';
import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered as Outgoing } from '@tidings/providers/rendered';
import type { Output } from '@tidings/rendering/channels/outputs';
import { emailContent, type EmailParts, outputContent } from '@tidings/rendering/output-content';

/** An e-mail as a RENDERED event keeps it. */
export interface StoredEmail extends EmailParts {
  /** Where they are not the provider's own. Not shown. */
  from?: string;
  reply_to?: string;
  cc?: readonly string[];
  bcc?: readonly string[];
}

type OtherOutput = Exclude<Output, { kind: 'email' }>;

/**
 * What the RENDERED event of a leaf keeps: everything its provider is called with, so that a repeated call says the same, byte
 * for byte. `shownRendering` tells what of it is shown. Attachments stay with the request.
 */
export interface StoredRendering {
  /** Of an e-mail. */
  output?: StoredEmail;
  /** Of every other channel. */
  rendered?: OtherOutput;
  blocks?: readonly OutputBlock[];
  /** Whom the provider is to reach. Absent: the e-mail address of the profile that the same step loaded. */
  to?: Recipient;
  /** The configuration's alias, where the request has files under that name. */
  alias?: string;
  /** What the send changes of the call itself: `{ body, config, … }`. */
  override?: Readonly<Record<string, unknown>>;
  /** How long the provider is tried, ms since the epoch, where it is not the usual time. */
  until?: number;
  /** Something else is tried when this fails. */
  has_next?: true;
}

/** What a provider is called with. */
export function outgoing({ output, rendered }: StoredRendering, attachments: readonly EmailAttachment[]): Outgoing {
  if (rendered) return rendered;
  if (!output) throw new Error('The RENDERED event holds no output');
  const { subject, html, text, from, reply_to, cc, bcc } = output;
  const email: RenderedEmail = {
    subject,
    html,
    text,
    ...(from && { from }),
    ...(reply_to && { replyTo: reply_to }),
    ...(cc && { cc }),
    ...(bcc && { bcc }),
    ...(attachments.length > 0 && { attachments }),
  };
  return { kind: 'email', email };
}

/** What a stored RENDERED event says, whole. */
export function outputOf(event: HistoryEvent): MessageOutputContent {
  const { output, rendered, blocks = [] } = event as unknown as StoredRendering;
  if (output) return emailContent(output);
  if (!rendered) throw new Error('The RENDERED event holds no output');
  const content = outputContent({ output: rendered, blocks });
  return blocks.length > 0 || content.body === '' ? content : { ...content, blocks: [{ type: 'text', text: content.body }] };
}
