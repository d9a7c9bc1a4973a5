import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { withLimit } from '@tidings/contracts/core/with-limit';
import { SmtpConnection } from './smtp-connection';
import { refusal, SmtpError, type Stage } from './smtp-error';
import type { SmtpSettings } from './smtp-settings';

/**
 * Opens a connection that is ready for mail: greeted, encrypted and authenticated as the settings demand. Rejects with
 * `SmtpError` within `timeoutMs`, or at once when `signal` aborts; a partly opened connection is closed.
 */
export async function openConnection(settings: SmtpSettings, signal: AbortSignal): Promise<SmtpConnection> {
  const { host, port, guard } = settings;
  assertAllowed(settings);
  // A name is checked by its addresses when the socket connects.
  const guarded = guard && { lookup: guard.lookup };
  const implicit = settings.tls === 'implicit';
  // autoSelectFamily (Node's default) tries IPv6 and IPv4 alternately; noDelay because Nagle would delay small writes by 40 ms.
  const socket = implicit
    ? connectTls({ ...tlsOptions(settings), host, port, ...guarded })
    : connect({ host, port, noDelay: true, ...guarded });
  if (implicit) socket.setNoDelay(true);

  const connection = new SmtpConnection(socket);
  const { timeoutMs } = settings;
  const stop = (why: 'timeout' | 'aborted') =>
    connection.fail(why, why === 'timeout' ? `no answer within ${timeoutMs} ms` : 'the provider was closed');
  try {
    return await withLimit({ timeoutMs, signal }, stop, async () => {
      await connection.connected(implicit ? 'secureConnect' : 'connect');
      await run(connection, 'greeting');
      await hello(connection, settings);
      if (settings.tls === 'required' || (settings.tls === 'opportunistic' && connection.capabilities.startTls)) {
        await encrypt(connection, settings);
      }
      if (settings.credentials) await authenticate(connection, settings.credentials);
      return connection;
    });
  } catch (error) {
    connection.fail('lost', 'the handshake did not succeed');
    throw error;
  }
}

function assertAllowed({ host, guard }: SmtpSettings) {
  try {
    guard?.assertHost(host);
  } catch (error) {
    throw new SmtpError('unsuitable', 'connecting', (error as Error).message);
  }
}

function tlsOptions({ host, verify, tlsOptions: more }: SmtpSettings) {
  return { servername: isIP(host) ? undefined : host, host, rejectUnauthorized: verify, ...more };
}

/** Sends a command, or only listens without one; rejects when the server refuses it. */
async function run(connection: SmtpConnection, stage: Stage, command?: string) {
  const reply = await connection.send(stage, command ? `${command}\r\n` : '');
  if (reply.code >= 300) throw refusal(stage, reply);
}

async function hello(connection: SmtpConnection, { clientName, tls, credentials }: SmtpSettings) {
  const reply = await connection.send('EHLO', `EHLO ${clientName}\r\n`);
  if (reply.code < 300) {
    connection.capabilities = parseCapabilities(reply.lines);
    return;
  }
  const isLegacy = (reply.code === 500 || reply.code === 502) && tls === 'opportunistic' && !credentials;
  if (!isLegacy) throw refusal('EHLO', reply);
  await run(connection, 'EHLO', `HELO ${clientName}`);
}

async function encrypt(connection: SmtpConnection, settings: SmtpSettings) {
  if (!connection.capabilities.startTls) {
    throw new SmtpError('unsuitable', 'STARTTLS', 'the server does not offer STARTTLS, which the settings require');
  }
  await run(connection, 'STARTTLS', 'STARTTLS');
  await connection.startTls(tlsOptions(settings));
  await hello(connection, settings);
}

async function authenticate(connection: SmtpConnection, { user, password }: NonNullable<SmtpSettings['credentials']>) {
  const { authMechanisms } = connection.capabilities;
  if (authMechanisms.has('PLAIN')) {
    await run(connection, 'AUTH', `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`);
  } else if (authMechanisms.has('LOGIN')) {
    for (const line of ['AUTH LOGIN', base64(user)]) {
      const reply = await connection.send('AUTH', `${line}\r\n`);
      if (reply.code !== 334) throw refusal('AUTH', reply);
    }
    await run(connection, 'AUTH', base64(password));
  } else {
    throw new SmtpError('unsuitable', 'AUTH', 'the server offers neither AUTH PLAIN nor AUTH LOGIN, but the settings have credentials');
  }
}

function base64(text: string) {
  return Buffer.from(text).toString('base64');
}

/** Reads the lines of an EHLO answer, each `250-KEYWORD parameters`. */
function parseCapabilities(lines: readonly string[]) {
  const offered = new Map<string, string[]>();
  for (const line of lines) {
    const [keyword = '', ...parameters] = line.slice(4).toUpperCase().split(/[ =]/);
    offered.set(keyword, [...(offered.get(keyword) ?? []), ...parameters]);
  }
  const size = offered.get('SIZE');
  return {
    pipelining: offered.has('PIPELINING'),
    smtpUtf8: offered.has('SMTPUTF8'),
    startTls: offered.has('STARTTLS'),
    authMechanisms: new Set(offered.get('AUTH')),
    size: size && { limit: Number(size[0]) || 0 },
  };
}
