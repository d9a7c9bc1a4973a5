import type { SmtpConnection } from './smtp-connection';
import { type Reply, refusal, SmtpError, type Stage } from './smtp-error';
import type { WireMail } from './compose';

const STAGES: readonly Stage[] = ['MAIL FROM', 'RCPT TO', 'DATA'];
const STAGES_AFTER_RESET: readonly Stage[] = ['RSET', ...STAGES];

/**
 * Hands one mail over and resolves with the server's reply to its end. Whatever the server refuses rejects with `SmtpError`;
 * the connection stays fit for the next mail unless it is closed.
 */
export async function deliver(connection: SmtpConnection, mail: WireMail): Promise<Reply> {
  const { capabilities } = connection;
  checkSuitable(connection, mail);
  connection.mails++;

  const stages = connection.needsReset ? STAGES_AFTER_RESET : STAGES;
  const commands = [`MAIL FROM:<${mail.from}>${parameters(connection, mail)}\r\n`, `RCPT TO:<${mail.to}>\r\n`, 'DATA\r\n'];
  if (connection.needsReset) commands.unshift('RSET\r\n');
  connection.needsReset = true;

  if (capabilities.pipelining) {
    const replies = await connection.exchange(stages, commands.join(''));
    checkGroup(connection, stages, replies);
  } else {
    for (const [i, command] of commands.entries()) {
      const stage = stages[i] as Stage;
      const [reply] = await connection.exchange([stage], command);
      if (!accepts(stage, reply)) throw refusal(stage, reply as Reply);
    }
  }

  const [reply] = await connection.exchange(['message'], mail.content);
  if (!reply || reply.code >= 300) throw refusal('message', reply as Reply);
  connection.needsReset = false;
  return reply;
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

function checkGroup(connection: SmtpConnection, stages: readonly Stage[], replies: readonly Reply[]): void {
  const refused = stages.findIndex((stage, i) => !accepts(stage, replies[i]));
  if (refused < 0) return;
  // The server refused the sender or the recipient and waits for a message all the same: there is none to give it.
  if (replies[stages.length - 1]?.code === 354) connection.fail('lost', 'the server asked for a message it had refused');
  throw refusal(stages[refused] as Stage, (replies[refused] ?? replies.at(-1)) as Reply);
}
