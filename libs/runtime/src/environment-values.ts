import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseNetwork } from '@tidings/contracts/core/network';
import { parseDuration } from '@tidings/contracts/core/duration';
import { parseRate, RATE_FORM } from '@tidings/contracts/core/rate';
import { DKIM_KEY, DKIM_SELECTOR, isDkimSelector, parseDkimKey } from '@tidings/contracts/messaging/dkim';
import { toMailDomain } from '@tidings/contracts/messaging/mailbox';
import { isEmail } from 'class-validator';

const PORT_MAX = 65_535;
export const SECRET_KEY_BYTES = 32;

/** Levels of the log, the most urgent first. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Any text. This and the following parse values of environment variables; each throws what is wrong with a value. */
export const text = (value: string) => value;

export function port(value: string) {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > PORT_MAX) fail(`is not a port (0 to ${PORT_MAX}, 0 is any free port)`);
  return number;
}

/** Parser of a whole number between two others. */
export function wholeNumber(min: number, max: number) {
  return (value: string) => {
    const number = Number(value);
    return /^\d{1,9}$/.test(value) && number >= min && number <= max ? number : fail(`is not a whole number from ${min} to ${max}`);
  };
}

/** A percentage as a share of 1; undefined for `off`. */
export function percentOrOff(value: string) {
  if (value === 'off') return undefined;
  const number = Number(value);
  return /^\d{1,3}(\.\d{1,4})?$/.test(value) && number <= 100 ? number / 100 : fail('is neither a percentage from 0 to 100 nor off');
}

export function ipAddress(value: string) {
  return isIP(value) ? value : fail('is not an IP address');
}

export function oneOf<Value extends string>(values: readonly Value[]) {
  return (value: string) => values.find((candidate) => candidate === value) ?? fail(`is none of ${values.join(', ')}`);
}

export const logLevel = oneOf(LOG_LEVELS);

export const apiKey = matching(/^[\x21-\x7e]{16,200}$/, 'is not 16 to 200 visible ASCII characters without blanks');

/** Key of operators: long enough not to be guessed. */
export const adminKey = matching(/^[\x21-\x7e]{32,200}$/, 'is not 32 to 200 visible ASCII characters without blanks');

/** Names of actors that are no operators. */
const NOT_OPERATORS = ['operator', 'system', 'bounce-guard'];

/** The keys of operators by their names. */
export function adminKeys(value: string) {
  const operators = value.split(',').map((entry) => {
    const [, name, key] = /^([A-Za-z0-9._@+-]{1,100}):(.*)$/.exec(entry.trim()) ?? [];
    if (name === undefined) return fail('is not name:key, separated by commas; a name has letters, digits and any of . _ @ + -');
    if (NOT_OPERATORS.includes(name)) return fail(`has an operator named ${name}, which audit events use for another actor`);
    return { name, key: keyOf(name, key!) };
  });
  for (const part of ['name', 'key'] as const) {
    const parts = operators.map((operator) => operator[part]);
    const twice = operators.find((operator, index) => parts.indexOf(operator[part]) !== index);
    if (twice) fail(part === 'name' ? `has two operators named ${twice.name}` : `gives ${twice.name} the key of another operator`);
  }
  return operators;
}

function keyOf(name: string, key: string) {
  try {
    return adminKey(key);
  } catch {
    return fail(`has a key of ${name} that is not 32 to 200 visible ASCII characters without blanks and commas`);
  }
}

/** URL of a gateway, without a path. */
export function gatewayUrl(value: string) {
  return urlOf(value, ['http:', 'https:'], 'http://host:port').href;
}

/** URL of a gateway for others, without a slash at its end. */
export function publicUrl(value: string) {
  const { username, password, search, hash, href } = urlOf(value, ['http:', 'https:'], 'https://host or https://host/path');
  const isPlain = [username, password, search, hash].every((part) => part === '');
  return isPlain ? href.replace(/\/+$/, '') : fail('is not an address without user, query and fragment');
}

/** URL of a server that speaks HTTP. */
export function webUrl(value: string) {
  return urlOf(value, ['http:', 'https:'], 'http://host:port/path').href;
}

export function nonNegativeInteger(value: string) {
  return /^\d{1,9}$/.test(value) ? Number(value) : fail('is not a whole number');
}

export function positiveInteger(value: string) {
  return nonNegativeInteger(value) || fail('is not a whole number above 0');
}

export function ratio(value: string) {
  const number = Number(value);
  return value.trim() !== '' && number >= 0 && number <= 1 ? number : fail('is not a number from 0 to 1');
}

/** `name=value` separated by commas, values percent-encoded. */
export function keyValues(value: string): Readonly<Record<string, string>> {
  const entries = value.split(',').map((entry): [string, string] => {
    const [, name, text] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    if (name === undefined) return fail('is not name=value, separated by commas');
    try {
      return [name, decodeURIComponent(text!)];
    } catch {
      return fail('has a value with a "%" that is not written as %25');
    }
  });
  return Object.fromEntries(entries);
}

export const password = matching(/^[\x20-\x7e]{1,200}$/, 'is not 1 to 200 printable ASCII characters');

export function emailAddress(value: string) {
  return isEmail(value) ? value : fail('is not an e-mail address');
}

export function smtpUrl(value: string) {
  return urlOf(value, ['smtp:', 'smtps:'], 'smtp://user:pass@host:port').href;
}

/** The URL, unchanged; it must name a database. */
export function postgresUrl(value: string) {
  const example = 'postgresql://user:pass@host:port/database';
  const url = urlOf(value, ['postgresql:', 'postgres:'], example);
  if (url.pathname.length < 2) fail(`names no database (${example})`);
  return value;
}

/** Parser of a duration such as `90d` or `1 year`, in ms. */
export function duration(min: string, max: string) {
  return (value: string) => {
    try {
      return parseDuration(value, 'the value', { min, max });
    } catch {
      return fail(`is not a number and a unit, such as "90d" or "1 year", between ${min} and ${max}`);
    }
  };
}

/** A rate of requests such as `50/s`. */
export function rate(value: string) {
  return parseRate(value)?.text ?? fail(`is not ${RATE_FORM}`);
}

export const brokers = listOf((broker) => {
  const [, port] = /^(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(broker) ?? [];
  if (!(Number(port) >= 1 && Number(port) <= PORT_MAX)) fail(`is not a list of host:port, separated by commas ("${broker}")`);
  return broker;
});

export const networks = listOf(
  (text) => parseNetwork(text) ?? fail(`is not a list of networks such as 10.1.0.0/16, separated by commas ("${text}")`),
);

/** Origins of pages, as browsers send them. */
export const origins = listOf((text) => {
  const isOrigin = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
  return isOrigin ? text : fail(`is not a list of origins such as https://app.example.com, separated by commas ("${text}")`);
});

export const topicPrefix = matching(/^[A-Za-z0-9._-]{0,100}$/, 'is not made of letters, digits, dots, dashes and underscores, at most 100');

/** A domain of addresses, in ASCII and lower case. */
export function mailDomain(value: string) {
  return toMailDomain(value) ?? fail('is not a domain such as example.com');
}

/** Domains of addresses, as `mailDomain` reads them. */
export const mailDomains = listOf(mailDomain);

export function dkimSelector(value: string) {
  return isDkimSelector(value) ? value : fail(`is not ${DKIM_SELECTOR}`);
}

export function dkimKey(value: string) {
  return parseDkimKey(value) ?? fail(`is not ${DKIM_KEY}`);
}

/** The path of a file that this process can read now. */
export function readableFile(value: string) {
  try {
    accessSync(value, constants.R_OK);
  } catch (error) {
    return fail(`is not a file that can be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return statSync(value).isFile() ? value : fail('is not a file');
}

/** The keys; the first one encrypts. */
export const secretKeys = listOf((key) => {
  const bytes = /^[0-9a-fA-F]{64}$/.test(key) ? Buffer.from(key, 'hex') : base64(key);
  return bytes?.length === SECRET_KEY_BYTES
    ? bytes
    : fail(`is not ${SECRET_KEY_BYTES} bytes in base64 or hex ("openssl rand -base64 ${SECRET_KEY_BYTES}" makes some)`);
});

/** The secrets; the first one signs. */
export const rpcSecrets = listOf(
  matching(/^[\x21-\x7e]{32,200}$/, 'is not 32 to 200 visible ASCII characters, several separated by commas'),
);

/** Parser of a text of this form. */
export function matching(form: RegExp, reason: string) {
  return (value: string) => (form.test(value) ? value : fail(reason));
}

/** Parser of parts separated by commas. */
export function listOf<Part>(parse: (part: string) => Part) {
  return (value: string) => value.split(',').map((part) => parse(part.trim()));
}

function base64(value: string) {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64') : undefined;
}

/** A URL of one of these protocols. @throws Error that names the example */
export function urlOf(value: string, protocols: readonly string[], example: string) {
  const url = URL.canParse(value) ? new URL(value) : fail(`is not of the form ${example}`);
  if (!protocols.includes(url.protocol) || !url.hostname) fail(`is not of the form ${example}`);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    fail('has a "%" in user or password that is not written as %25');
  }
  return url;
}

/** @throws Error with what is wrong with a value. */
export function fail(reason: string): never {
  throw new Error(reason);
}
