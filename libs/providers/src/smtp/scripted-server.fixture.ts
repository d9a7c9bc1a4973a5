import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Attempt } from '../provider';
import { SmtpProvider } from './smtp-provider';
import { cleanUps, type Mailer, mailerOf } from './smtp-server.fixture';
import { parseSmtpUrl } from './smtp-settings';

/** A scripted server's answer to a command: a reply, or an action on the socket. `END` is the end of a message. */
export type Answer = string | ((socket: Socket) => void);
export type Script = (command: string, connection: number) => Answer;

const DEFAULT_REPLIES: Record<string, string> = {
  GREETING: '220 scripted',
  EHLO: '250-scripted\r\n250-PIPELINING\r\n250 SIZE 0',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  RSET: '250 ok',
  END: '250 2.0.0 queued as 1',
  QUIT: '221 bye',
};

export const drop: Answer = (socket) => socket.destroy();
export const noReply: Answer = () => undefined;

/** A mail server that follows a script, command by command, and logs the received commands. */
export async function serve(script: Script): Promise<{ port: number; log: string[]; sockets: Set<Socket> }> {
  const log: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = ++connections;
    let text = '';
    let inMessage = false;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const answer = (command: string) => {
      log.push(`${connection} ${command}`);
      const reply = script(command, connection);
      if (typeof reply === 'function') return reply(socket);
      socket.write(`${reply}\r\n`);
      inMessage = command === 'DATA' && reply.startsWith('354');
    };
    answer('GREETING');
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (;;) {
        const mark = inMessage ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(mark);
        if (end < 0 || socket.destroyed) return;
        const line = text.slice(0, end);
        text = text.slice(end + mark.length);
        const ended = inMessage;
        inMessage = false;
        answer(ended ? 'END' : line.slice(0, 4).toUpperCase());
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, log, sockets };
}

export const defaultReply = (command: string) => DEFAULT_REPLIES[command] ?? '502 unknown';

export function connect({ port }: { port: number }, query = ''): Mailer {
  const mailer = mailerOf(new SmtpProvider(parseSmtpUrl(`smtp://127.0.0.1:${port}?from=shop@example.com${query}`)));
  cleanUps.push(() => mailer.close());
  return mailer;
}

let keys = 0;
export function send(provider: Mailer, overrides: Partial<Attempt> = {}) {
  const attempt = {
    messageId: 'm',
    idempotencyKey: `key-${++keys}`,
    number: 1,
    renderedAt: new Date('2026-03-01T10:00:00Z'),
    ...overrides,
  };
  return provider.send({ subject: 'Hello', text: 'Hello\n' }, { email: 'jane@example.org' }, attempt);
}

export const at =
  (stage: string, connection: number, answer: Answer): Script =>
  (command, n) =>
    command === stage && n === connection ? answer : defaultReply(command);
