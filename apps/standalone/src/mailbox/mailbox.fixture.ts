import { createTransport, type SendMailOptions } from 'nodemailer';
import { Mailbox, type MailboxOptions } from './mailbox';

/** Run after each test, the last one first. */
export const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A mailbox and a client that sends to it, for one test. */
export async function start(options?: MailboxOptions): Promise<{ mailbox: Mailbox; send: (mail: SendMailOptions) => Promise<void> }> {
  const mailbox = await Mailbox.start(options);
  const client = createTransport(`${mailbox.url}?pool=true`);
  cleanUps.push(
    () => mailbox.close(),
    () => client.close(),
  );
  const send = async (mail: SendMailOptions) => void (await client.sendMail({ from: 'shop@example.com', to: 'jane@example.org', ...mail }));
  return { mailbox, send };
}
