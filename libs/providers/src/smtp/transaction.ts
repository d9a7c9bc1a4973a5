import type { WireMail } from './compose';
import type { Command, SmtpConnection } from './smtp-connection';
import { refusal, type Reply, SmtpError } from './smtp-error';
import type { Delivered } from './smtp-outcome';

const DATA: Command = ['DATA', 'DATA\r\n'];
const RSET: Command = ['RSET', 'RSET\r\n'];

/**
 * Sends one mail and resolves with the server's reply. A refusal rejects with `SmtpError`; the connection stays usable for the
 * next mail unless it is closed.
 *
 * A refused recipient ends the mail for all; a refused copy, transient or permanent, does not affect the recipient and the other
 * copies.
 */
export async function transact(connection: SmtpConnection, mail: WireMail): Promise<Delivered> {
  checkSuitable(connection, mail);
  const opening = openingOf(connection, mail);
  connection.mails++;
  connection.needsReset = true;

  const { copies } = mail;
  const replies = await sendCommands(connection, opening, copies.length);
  if (copies.length > 0) await sendCommands(connection, [DATA]);

  const reply = await connection.send('message', mail.content);
  if (reply.code >= 300) throw refusal('message', reply);
  connection.needsReset = false;
  return { reply, refused: copies.map((copy, i) => ({ copy, reply: replies[i]! })).filter(isRefused) };
}

/** The commands of the first group. Some of several recipients may be refused; that must be known before DATA, which is then not in it. */
function openingOf(connection: SmtpConnection, mail: WireMail): readonly Command[] {
  const { copies, content, utf8 } = mail;
  const size = connection.capabilities.size ? ` SIZE=${content.length}` : '';
  const parameters = utf8 ? `${size} SMTPUTF8 BODY=8BITMIME` : size;
  return [
    ...(connection.needsReset ? [RSET] : []),
    ['MAIL FROM', `MAIL FROM:<${mail.from}>${parameters}\r\n`],
    ...[mail, ...copies].map(({ to }): Command => ['RCPT TO', `RCPT TO:<${to}>\r\n`]),
    ...(copies.length > 0 ? [] : [DATA]),
  ];
}

function checkSuitable({ capabilities: { smtpUtf8, size } }: SmtpConnection, mail: WireMail) {
  if (mail.utf8 && !smtpUtf8) {
    throw new SmtpError('unsuitable', 'MAIL FROM', 'the server does not accept addresses beyond ASCII (SMTPUTF8)');
  }
  if (size && size.limit > 0 && mail.content.length > size.limit) {
    throw new SmtpError('unsuitable', 'MAIL FROM', `the mail has ${mail.content.length} bytes, the server accepts ${size.limit}`);
  }
}

/** Sends commands, of which the last `copies` may be refused; rejects with the first other refusal. Resolves with the replies to the copies. */
async function sendCommands(connection: SmtpConnection, commands: readonly Command[], copies = 0) {
  const required = commands.length - copies;
  const replies: Reply[] = [];
  for (const group of connection.capabilities.pipelining ? [commands] : commands.map((command) => [command])) {
    replies.push(...(await connection.exchange(group)));
    // After a 421 the server accepts no message.
    const refused = replies.findIndex(({ code }, i) => code === 421 || (i < required && !accepts(commands[i]!, code)));
    if (refused < 0) continue;
    // The server refused the sender or the recipient and still expects a message; closing the connection sends none.
    if (commands.at(-1) === DATA && replies[commands.length - 1]?.code === 354) {
      connection.fail('lost', 'the server expects a message that it refused');
    }
    throw refusal(commands[refused]![0], replies[refused]!);
  }
  return replies.slice(required);
}

function isRefused({ reply }: Delivered['refused'][number]) {
  return reply.code >= 300;
}

function accepts([stage]: Command, code: number) {
  return stage === 'DATA' ? code === 354 : code < 300;
}
