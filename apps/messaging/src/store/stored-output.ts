import type { MessageOutputContent, OutputBlock } from '@tidings/contracts/content/message-output';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { EmailAttachment } from '@tidings/providers/email';
import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered as Outgoing } from '@tidings/providers/rendered';
import type { Output } from '@tidings/contracts/messaging/channel-outputs';
import { emailContent, type EmailParts, outputContent } from '@tidings/rendering/output-content';

/** An e-mail as a RENDERED event stores it. */
export interface StoredEmail extends EmailParts {
  /** Absent: the provider's own. Not shown, like the fields below. */
  from?: string;
  reply_to?: string;
  cc?: readonly string[];
  bcc?: readonly string[];
}

type OtherOutput = Exclude<Output, { kind: 'email' }>;

/**
 * The RENDERED event of a leaf as it is stored: the whole input of the provider call, so that a repeated call is equal byte for byte.
 * `expandEvents` decides what is shown. Attachments stay with the request.
 */
export interface StoredRendering {
  /** For e-mail. */
  output?: StoredEmail;
  /** For every other channel. */
  rendered?: OtherOutput;
  blocks?: readonly OutputBlock[];
  /** The recipient of the call. Absent: the e-mail address of the profile that the same step loaded. */
  to?: Recipient;
  /** The configuration's alias, where the request has files under that name. */
  alias?: string;
  /** Overrides of the call by the send: `{ body, config, … }`. */
  override?: Readonly<Record<string, unknown>>;
  /** End of the retry window, ms since the epoch; absent: the default limit. */
  until?: number;
  /** Another route follows when this one fails. */
  has_next?: true;
}

/** The content of the provider call. */
export function outgoing({ output, rendered }: StoredRendering, attachments: readonly EmailAttachment[]): Outgoing {
  if (rendered) return rendered;
  if (!output) throw new Error('The RENDERED event has no output');
  const { reply_to: replyTo, blocks: _blocks, ...email } = output;
  return { kind: 'email', email: { ...email, replyTo, attachments: attachments.length > 0 ? attachments : undefined } };
}

/** The whole content of a stored RENDERED event. */
export function outputOf(event: HistoryEvent): MessageOutputContent {
  const { output, rendered, blocks = [] } = event as unknown as StoredRendering;
  if (output) return emailContent(output);
  if (!rendered) throw new Error('The RENDERED event has no output');
  const content = outputContent({ output: rendered, blocks });
  return blocks.length > 0 || content.body === '' ? content : { ...content, blocks: [{ type: 'text', text: content.body }] };
}
