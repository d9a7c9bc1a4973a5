import type { SmtpConnection } from './smtp-connection';
import { type Reply, refusal, SmtpError, type Stage } from './smtp-error';
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
    ['RCPT TO', `RCPT TO:<${mail.to}>\r\n`],
  ];
  connection.needsReset = true;

  // Some of several recipients may be refused; that must be known before DATA.
  const refused = mail.copies.length === 0 ? [] : await sendWithCopies(connection, commands, mail.copies);
  await sendCommands(connection, mail.copies.length === 0 ? [...commands, DATA] : [DATA]);

  const [reply] = await connection.exchange(['message'], mail.content);
  if (!reply || reply.code >= 300) throw refusal('message', reply as Reply);
  connection.needsReset = false;
  return { reply, refused };
}

type Command = readonly [stage: Stage, line: string];
const DATA: Command = ['DATA', 'DATA\r\n'];

/** Sends commands; rejects with the first refusal. */
async function sendCommands(connection: SmtpConnection, commands: readonly Command[]): Promise<void> {
  if (connection.capabilities.pipelining) {
    checkGroup(connection, commands, await exchange(connection, commands));
    return;
  }
  for (const command of commands) {
    const [reply] = await exchange(connection, [command]);
    if (!accepts(command[0], reply)) throw refusal(command[0], reply as Reply);
  }
}

/** As `sendCommands`, then the copies; resolves with the refused copies. */
async function sendWithCopies(
  connection: SmtpConnection,
  commands: readonly Command[],
  copies: readonly WireCopy[],
): Promise<Delivered['refused']> {
  const rest = copies.map(({ to }): Command => ['RCPT TO', `RCPT TO:<${to}>\r\n`]);
  const replies: Reply[] = [];
  if (connection.capabilities.pipelining) {
    replies.push(...(await exchange(connection, [...commands, ...rest])));
    checkGroup(connection, commands, replies);
  } else {
    await sendCommands(connection, commands);
    replies.length = commands.length;
    for (const command of rest) {
      const [reply] = await exchange(connection, [command]);
      replies.push(reply as Reply);
      if (reply?.code === 421) break;
    }
  }
  return copies.flatMap((copy, i) => {
    const reply = replies[commands.length + i];
    // After a 421 the server accepts no message.
    if (!reply || reply.code === 421) throw refusal('RCPT TO', (reply ?? replies.at(-1)) as Reply);
    return accepts('RCPT TO', reply) ? [] : [{ copy, reply }];
  });
}

function exchange(connection: SmtpConnection, commands: readonly Command[]): Promise<Reply[]> {
  return connection.exchange(
    commands.map(([stage]) => stage),
    commands.map(([, line]) => line).join(''),
  );
}

function checkSuitable({ capabilities: { smtpUtf8, size } }: SmtpConnection, mail: WireMail): void {
  if (mail.utf8 && !smtpUtf8) {
    throw new SmtpError('unsuitable', 'MAIL FROM', 'the server does not accept addresses beyond ASCII (SMTPUTF8)');
  }
  if (size && size.limit > 0 && mail.content.length > size.limit) {
    throw new SmtpError('unsuitable', 'MAIL FROM', `the mail has ${mail.content.length} bytes, the server accepts ${size.limit}`);
  }
}

function parameters({ capabilities }: SmtpConnection, mail: WireMail): string {
  const size = capabilities.size ? ` SIZE=${mail.content.length}` : '';
  return mail.utf8 ? `${size} SMTPUTF8 BODY=8BITMIME` : size;
}

function accepts(stage: Stage, reply: Reply | undefined): boolean {
  if (!reply) return false;
  return stage === 'DATA' ? reply.code === 354 : reply.code < 300;
}

/** The replies begin with those to `commands`. */
function checkGroup(connection: SmtpConnection, commands: readonly Command[], replies: readonly Reply[]): void {
  const refused = commands.findIndex(([stage], i) => !accepts(stage, replies[i]));
  if (refused < 0) return;
  // The server refused the sender or the recipient and still expects a message; closing the connection sends none.
  if (commands.at(-1) === DATA && replies[commands.length - 1]?.code === 354)
    connection.fail('lost', 'the server expects a message that it refused');
  throw refusal(commands[refused]![0], (replies[refused] ?? replies.at(-1)) as Reply);
}
