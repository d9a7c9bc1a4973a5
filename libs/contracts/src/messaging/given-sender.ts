import { isJsonObject, type JsonObject } from '../core/deep-merge';
import { ServiceError } from '../core/errors';
import { isGiven, shown } from '../core/refusals';
import type { FieldNames } from './accept-message';
import type { MessageRequested } from './events';
import { assertMailbox, domainOf, parseMailbox } from './mailbox';

/** The sender that a send gives to e-mails of the default provider. */
export interface GivenSender {
  /** Where the send has it. */
  readonly path: string;
  readonly value: string;
  /** In ASCII and lower case. */
  readonly domain: string;
}

/** The settings that apply to the default provider, those that override others last. */
const LAYERS = [
  ['channels', 'email'],
  ['providers', 'smtp'],
  ['providers', 'default'],
] as const;

const DOMAINS_SHOWN_MAX = 10;

/**
 * The sender that the overrides of a send give to e-mails of the default provider; undefined if they give none.
 * @throws ServiceError `invalid_request` for a `from` that is not one address, naming the field and the value.
 */
export function givenSender(
  settings: Pick<MessageRequested, 'channels' | 'providers'>,
  { ofOverride }: FieldNames,
): GivenSender | undefined {
  if (!settings.channels && !settings.providers) return undefined;
  const layers = LAYERS.flatMap(([field, key]) => {
    const override = settings[field]?.[key]?.override;
    return isJsonObject(override) ? [{ override, path: () => ofOverride(field, key) }] : [];
  });
  for (const { override, path } of layers) assertFrom(override.from, path);
  const named = layers.findLast(({ override }) => isGiven(override.from));
  // An empty one removes those of other layers.
  if (named && !isEmpty(named.override.from)) return senderAt(named.override.from, () => `${named.path()}.from`);
  const configured = layers.findLast(({ override }) => isGiven(configOf(override).from_address));
  return configured && senderAt(configOf(configured.override).from_address, () => `${configured.path()}.config.from_address`);
}

/** Why a sender is refused where these domains are allowed; undefined if it is not. `null` allows any. */
export function senderRefusal({ path, value, domain }: GivenSender, allowed: readonly string[] | null): string | undefined {
  if (allowed === null || allowed.includes(domain)) return undefined;
  const domains = [...allowed.slice(0, DOMAINS_SHOWN_MAX), ...(allowed.length > DOMAINS_SHOWN_MAX ? ['…'] : [])].join(', ');
  return `${path} must be an address from which this workspace may send, of ${domains || 'no domain'} (got ${shown(value)})`;
}

/** Refuses a sender of another domain. @throws ServiceError `forbidden` naming the field and the sender. */
export function assertSenderAllowed(sender: GivenSender, allowed: readonly string[] | null): void {
  const refusal = senderRefusal(sender, allowed);
  if (refusal !== undefined) throw new ServiceError('forbidden', refusal);
}

const configOf = ({ config }: JsonObject): JsonObject => (isJsonObject(config) ? config : {});
const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
const textsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]).filter((text) => !isBlank(text));
const isEmpty = (value: unknown) => textsOf(value).length === 0;

/** `path` is that of the override. */
function assertFrom(from: unknown, path: () => string) {
  if (!isGiven(from) || isEmpty(from)) return;
  const [text, ...others] = textsOf(from);
  assertMailbox(others.length === 0 ? text : from, `${path()}.from`);
}

function senderAt(value: unknown, path: () => string): GivenSender | undefined {
  const [text, ...others] = textsOf(value);
  const mailbox = typeof text === 'string' && others.length === 0 ? parseMailbox(text) : undefined;
  return mailbox && { path: path(), value: text as string, domain: domainOf(mailbox) };
}
