import type { SmtpConnection } from './smtp-connection';
import { type Reply, refusal, SmtpError, type Stage } from './smtp-error';
import type { WireCopy, WireMail } from './compose';

/** What the server made of a mail that it took. */
export interface Delivered {
  /** Its answer to the end of the mail. */
  readonly reply: Reply;
  /** Copies that it would not take. */
  readonly refused: readonly { readonly copy: WireCopy; readonly reply: Reply }[];
}

/**
 * Hands one mail over and resolves with what the server made of it. Whatever the server refuses rejects with `SmtpError`;
 * the connection stays fit for the next mail unless it is closed.
 *
 * The mail is its recipient's: where that one is refused nobody gets it, and a copy that is refused, for now or for good, neither
 * holds it up nor keeps it from the others.
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

  // Of several recipients some may be refused, which must be known before the server is told to expect a message.
  const refused = mail.copies.length === 0 ? [] : await askForCopies(connection, commands, mail.copies);
  await ask(connection, mail.copies.length === 0 ? [...commands, DATA] : [DATA]);

  const [reply] = await connection.exchange(['message'], mail.content);
  if (!reply || reply.code >= 300) throw refusal('message', reply as Reply);
  connection.needsReset = false;
  return { reply, refused };
}

type Command = readonly [stage: Stage, line: string];
const DATA: Command = ['DATA', 'DATA\r\n'];

/** Says commands and expects the server to take each of them. */
async function ask(connection: SmtpConnection, commands: readonly Command[]): Promise<void> {
  if (connection.capabilities.pipelining) {
    checkGroup(connection, commands, await exchange(connection, commands));
    return;
  }
  for (const command of commands) {
    const [reply] = await exchange(connection, [command]);
    if (!accepts(command[0], reply)) throw refusal(command[0], reply as Reply);
  }
}

/** As `ask`, and then the copies; resolves with those that were refused. */
async function askForCopies(
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
    await ask(connection, commands);
    replies.length = commands.length;
    for (const command of rest) {
      const [reply] = await exchange(connection, [command]);
      replies.push(reply as Reply);
      if (reply?.code === 421) break;
    }
  }
  return copies.flatMap((copy, i) => {
    const reply = replies[commands.length + i];
    // A server that said good-bye takes no message any more.
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
    throw new SmtpError('unsuitable', 'MAIL FROM', 'the server does not take addresses beyond ASCII (SMTPUTF8)');
  }
  if (size && size.limit > 0 && mail.content.length > size.limit) {
    throw new SmtpError('unsuitable', 'MAIL FROM', `the mail has ${mail.content.length} bytes, the server takes ${size.limit}`);
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
  // The server refused the sender or the recipient and waits for a message all the same: there is none to give it.
  if (commands.at(-1) === DATA && replies[commands.length - 1]?.code === 354)
    connection.fail('lost', 'the server asked for a message it had refused');
  throw refusal(commands[refused]![0], (replies[refused] ?? replies.at(-1)) as Reply);
}
