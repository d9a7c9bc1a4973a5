import type { MessageOutputContent, OutputBlock } from '@tidings/contracts/content/message-output';
import type { EmailOutput, Output } from '@tidings/contracts/messaging/channel-outputs';

/** A rendering as the output of a message: every field is present, unused ones are empty. */
export function outputContent({ output, blocks }: { output: Output; blocks: readonly OutputBlock[] }): MessageOutputContent {
  const shown = (title: string, body: string): MessageOutputContent => ({ html: '', title, body, subject: '', text: body, blocks });
  switch (output.kind) {
    case 'email':
      return emailContent({ ...output.email, blocks: blocksBeyondText(blocks) });
    case 'sms':
      return shown('', output.sms.text);
    case 'push':
      return shown(output.push.title, output.push.body);
    case 'direct_message':
      return shown('', output.directMessage.text);
    case 'inbox':
      return shown(output.inbox.title, output.inbox.body);
    case 'webhook':
      return shown(output.webhook.title, output.webhook.body);
  }
}

/** An e-mail as it is stored. */
export interface EmailParts extends EmailOutput {
  /** Absent: one text, which is `text`. */
  readonly blocks?: readonly OutputBlock[];
}

/** The output content of an e-mail. */
export function emailContent({ subject, html, text, blocks }: EmailParts): MessageOutputContent {
  const parts = blocks ?? (text === '' ? [] : [{ type: 'text' as const, text: text.trimEnd() }]);
  return { html, title: subject, body: text, subject, text, blocks: parts };
}

/** The blocks when they add to `text`, as with actions; undefined for mails of text alone. */
export function blocksBeyondText(blocks: readonly OutputBlock[]): readonly OutputBlock[] | undefined {
  return blocks.some(({ type }) => type === 'action') ? blocks : undefined;
}
