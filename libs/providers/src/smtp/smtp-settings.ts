import { hostname } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { invalid } from '@tidings/contracts/core/refusals';
import type { DkimSettings } from '@tidings/contracts/messaging/dkim';
import { type Mailbox, parseMailbox } from '@tidings/contracts/messaging/mailbox';
import type { AddressGuard } from '../http/guard/address-guard';

/** Encryption of the connection: `implicit` is TLS from the first byte, the others are modes of STARTTLS. */
type TlsMode = 'implicit' | 'required' | 'opportunistic' | 'off';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly credentials?: { readonly user: string; readonly password: string };
  readonly tls: TlsMode;
  /** Whether the server's certificate must be valid. */
  readonly verify: boolean;
  /** More for `tls.connect`, such as a private `ca`; not settable by URL. */
  readonly tlsOptions?: ConnectionOptions;
  /** Restricts the server's addresses. Default: no restriction, for a server that operators configure. */
  readonly guard?: AddressGuard;
  /** Sender of mails without one. */
  readonly from: Mailbox;
  /** Where `from` comes from: it was named, or is the user of the credentials, or was made of the machine's name. */
  readonly fromSource: 'named' | 'user' | 'host';
  /** Absent: mails are not signed. Not settable by URL. */
  readonly dkim?: DkimSettings;
  /** The return path of the mails of a message, to which bounces go. Absent: their sender. Not settable by URL. */
  readonly returnPath?: (messageId: string) => string;
  /** Name given in EHLO. */
  readonly clientName: string;
  /** Upper bound of connections to the server. */
  readonly connections: number;
  /** Timeout of the wait for a connection, and again of the call on it. */
  readonly timeoutMs: number;
  /** Idle time after which a connection is closed. */
  readonly idleMs: number;
}

const CONNECTIONS = 20;
const CONNECTIONS_MAX = 200;
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 600_000;
const IDLE_MS = 30_000;

/**
 * Reads `smtp://user:password@host:port` or `smtps://…`. Options of the query:
 *
 * | option | meaning | default |
 * |---|---|---|
 * | `from` | sender of mails without one, `address` or `Name <address>` | the user if it is an address, else `notifications@` the host's name |
 * | `connections` | upper bound of connections, 1 to 200 | 20 |
 * | `timeout` | ms for a call, and for the wait before it, 100 to 600000 | 10000 |
 * | `tls` | `required`, `opportunistic` (STARTTLS when offered), `off` | `required` with credentials on another host, else `opportunistic` |
 * | `verify` | `off` accepts any certificate | on, except for opportunistic TLS, where it gives no protection |
 * | `name` | name given in EHLO | the machine's |
 *
 * Credentials are never sent unencrypted to another host, except with `tls=off`.
 * @throws ServiceError `invalid_request` for an unknown or invalid part; the message never quotes the URL with its password.
 */
export function parseSmtpUrl(text: string): SmtpSettings {
  const url = URL.canParse(text) ? new URL(text) : refuse('is not a URL');
  const protocol = url.protocol;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') refuse('must begin with smtp:// or smtps://');
  const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  if (!host) refuse('names no host');
  for (const option of url.searchParams.keys()) {
    if (!OPTIONS.has(option)) refuse(`has an unknown option '${option}'; known: ${[...OPTIONS].join(', ')}`);
  }

  const credentials = url.username ? { user: decode(url.username), password: decode(url.password) } : undefined;
  const option = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const [tls, verify, from] = [option('tls'), option('verify'), option('from')];
  if (tls !== undefined && tls !== 'required' && tls !== 'opportunistic' && tls !== 'off') {
    refuse("has an option 'tls' that is none of required, opportunistic, off");
  }
  const implicitTls = protocol === 'smtps:';
  if (implicitTls && tls === 'off') refuse("combines smtps with 'tls=off'");
  if (verify !== undefined && verify !== 'on' && verify !== 'off') refuse("has an option 'verify' that is neither on nor off");
  return {
    ...settingsOfServer({
      host,
      port: url.port ? Number(url.port) : undefined,
      implicitTls,
      // Required where credentials would be exposed.
      tls: tls === 'opportunistic' ? undefined : tls,
      verify: verify === undefined ? undefined : verify === 'on',
      credentials,
      from: from === undefined ? undefined : (parseMailbox(from) ?? refuse("has an option 'from' that is not an e-mail address")),
      clientName: option('name'),
    }),
    connections: integer(option('connections'), 'connections', CONNECTIONS, 1, CONNECTIONS_MAX),
    timeoutMs: integer(option('timeout'), 'timeout', TIMEOUT_MS, 100, TIMEOUT_MS_MAX),
  };
}

/** A server described by single fields. Defaults are those of a URL. */
interface ServerFields extends Partial<Pick<SmtpSettings, 'port' | 'verify' | 'credentials' | 'from' | 'dkim' | 'clientName'>> {
  readonly host: string;
  /** TLS from the first byte. */
  readonly implicitTls: boolean;
  readonly tls?: Exclude<TlsMode, 'implicit'>;
}

/** The settings of a server that is described by fields instead of a URL. */
export function settingsOfServer({ host, port, implicitTls, credentials, ...fields }: ServerFields): SmtpSettings {
  // An attacker on the network can remove STARTTLS; with a password at stake the session must then end.
  const defaultTls = credentials && !isLoopback(host) ? 'required' : 'opportunistic';
  const tls = implicitTls ? 'implicit' : (fields.tls ?? defaultTls);
  const user = parseMailbox(credentials?.user ?? '');
  const clientName = (fields.clientName ?? hostname()).replace(/[^A-Za-z0-9.:[\]-]/g, '') || 'localhost';
  return {
    host,
    port: port ?? (implicitTls ? 465 : 587),
    credentials,
    tls,
    verify: fields.verify ?? tls !== 'opportunistic',
    from: fields.from ?? user ?? parseMailbox(`notifications@${clientName}`) ?? { address: 'notifications@localhost', ascii: true },
    fromSource: fields.from ? 'named' : user ? 'user' : 'host',
    dkim: fields.dkim,
    clientName,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  };
}

const OPTIONS = new Set(['from', 'connections', 'timeout', 'tls', 'verify', 'name']);

function refuse(what: string): never {
  throw invalid(`The SMTP URL ${what}`);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return refuse('has credentials that are not percent-encoded');
  }
}

function integer(option: string | undefined, name: string, fallback: number, min: number, max: number): number {
  if (option === undefined) return fallback;
  const value = /^\d{1,9}$/.test(option) ? Number(option) : NaN;
  return value >= min && value <= max ? value : refuse(`has an option '${name}' that is no number from ${min} to ${max}`);
}

function isLoopback(host: string) {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
