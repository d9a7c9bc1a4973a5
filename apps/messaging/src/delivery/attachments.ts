import type { Attachment } from '@tidings/contracts/messaging/attachments';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { EmailAttachment } from '@tidings/providers/email';
import type { LeafNames } from '../store/leaf-record';

const ANY_TYPE = 'application/octet-stream';

/** Attachments of an e-mail: those of its channel's override, then those of its provider's, under any of the provider's names. */
export function attachmentsOf(
  { channels, providers }: MessageRequested,
  { channel, provider, integration }: LeafNames,
  alias?: string,
): EmailAttachment[] {
  if (channel !== 'email') return [];
  const names = [provider, integration, ...(alias === undefined ? [] : [alias])];
  const overrides = [channels?.[channel], ...names.map((name) => providers?.[name])].map((settings) => settings?.override);
  return overrides.flatMap((override) => ((override?.attachments ?? []) as Attachment[]).map(toEmailAttachment));
}

function toEmailAttachment({ filename, contentType, data }: Attachment): EmailAttachment {
  return { filename, contentType: contentType ?? ANY_TYPE, content: Buffer.from(data, 'base64') };
}
