import type { Command, SmtpConnection } from './smtp-connection';
import { type Reply, refusal, SmtpError } from './smtp-error';
import type { WireCopy, WireMail } from './compose';

/** The result of an accepted mail. */
export interface Delivered {
  /** The server's reply to the end of the mail. */
  readonly reply: Reply;
  /** Refused copies. */
  readonly refused: readonly { readonly copy: WireCopy; readonly reply: Reply }[];
}

/**
 * Sends one mail and resolves with the server's reply. A refusal rejects with `SmtpError`; the connection stays usable for the
 * next mail unless it is closed.
 *
 * A refused recipient ends the mail for all; a refused copy, transient or permanent, does not affect the recipient and the other
 * copies.
 */
export async function deliver(connection: SmtpConnection, mail: WireMail): Promise<Delivered> {
  checkSuitable(connection, mail);
  connection.mails++;
  const commands: Command[] = [
    ...(connection.needsReset ? ([['RSET', 'RSET\r\n']] as const) : []),
    ['MAIL FROM', `MAIL FROM:<${mail.from}>${parameters(connection, mail)}\r\n`],
    recipient(mail.to),
  ];
  connection.needsReset = true;

  // Some of several recipients may be refused; that must be known before DATA.
  const copies = mail.copies.map(({ to }) => recipient(to));
  const replies = copies.length > 0 ? await sendCommands(connection, commands, copies) : [];
  await sendCommands(connection, copies.length > 0 ? [DATA] : [...commands, DATA]);

  const reply = await connection.send('message', mail.content);
  if (reply.code >= 300) throw refusal('message', reply);
  connection.needsReset = false;
  return { reply, refused: mail.copies.map((copy, i) => ({ copy, reply: replies[i] as Reply })).filter(isRefused) };
}

const DATA: Command = ['DATA', 'DATA\r\n'];
const recipient = (address: string): Command => ['RCPT TO', `RCPT TO:<${address}>\r\n`];
const isRefused = ({ reply }: Delivered['refused'][number]) => reply.code >= 300;

/** Sends commands, then those of the copies; rejects with the first refusal of a command. Resolves with the replies to the copies. */
async function sendCommands(connection: SmtpConnection, commands: readonly Command[], copies: readonly Command[] = []) {
  const all = [...commands, ...copies];
  const replies: Reply[] = [];
  for (const group of connection.capabilities.pipelining ? [all] : all.map((command) => [command])) {
    replies.push(...(await connection.exchange(group)));
    // A copy may be refused; after a 421 the server accepts no message.
    const refused = replies.findIndex(({ code }, i) => code === 421 || (i < commands.length && !accepts(all[i] as Command, code)));
    if (refused < 0) continue;
    // The server refused the sender or the recipient and still expects a message; closing the connection sends none.
    if (commands.at(-1) === DATA && replies[commands.length - 1]?.code === 354)
      connection.fail('lost', 'the server expects a message that it refused');
    throw refusal(all[refused]![0], replies[refused]!);
  }
  return replies.slice(commands.length);
}

function checkSuitable({ capabilities: { smtpUtf8, size } }: SmtpConnection, mail: WireMail) {
  if (mail.utf8 && !smtpUtf8) {
    throw new SmtpError('unsuitable', 'MAIL FROM', 'the server does not accept addresses beyond ASCII (SMTPUTF8)');
  }
  if (size && size.limit > 0 && mail.content.length > size.limit) {
    throw new SmtpError('unsuitable', 'MAIL FROM', `the mail has ${mail.content.length} bytes, the server accepts ${size.limit}`);
  }
}

function parameters({ capabilities }: SmtpConnection, mail: WireMail) {
  const size = capabilities.size ? ` SIZE=${mail.content.length}` : '';
  return mail.utf8 ? `${size} SMTPUTF8 BODY=8BITMIME` : size;
}

function accepts([stage]: Command, code: number) {
  return stage === 'DATA' ? code === 354 : code < 300;
}
