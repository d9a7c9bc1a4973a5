import { BOUNCE_BYTES_MAX, type ReceivedBounce } from '@tidings/contracts/messaging/bounces';
import type { Command } from './command';

/** Passes a mail of a mail server's pipe on to messaging. */
export const BOUNCE_COMMAND: Command = {
  usage: '--to ADDRESS',
  meaning: 'reads a mail from the standard input that came to a return path, ADDRESS, and applies the bounces it reports',
  run: async (client, { options: { to } }, _note, input) => {
    const mail = await firstBytesOf(input);
    const received = await client.request<ReceivedBounce>('POST', '/bounces', { to, mail: mail.toString('base64') });
    return { data: received, lines: [`Reported bounces: ${received.reported}`] };
  },
};

/** Up to 1 MB: a report is before the mail that it is about. */
async function firstBytesOf(input: AsyncIterable<Buffer>) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= BOUNCE_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, BOUNCE_BYTES_MAX);
}
