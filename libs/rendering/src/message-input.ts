import type { ResolvedBrand } from '@tidings/contracts/content/sending';
import type { PortableRenderInput } from './pool/jobs';
import type { Values } from './scope';

/** All inputs of a message to one recipient over one channel. */
export interface MessageParts extends Pick<
  PortableRenderInput,
  'content' | 'contentKey' | 'channel' | 'provider' | 'utm' | 'requiresVariables'
> {
  readonly workspaceId: string;
  /** `null`: without a brand. */
  readonly brand: ResolvedBrand | null;
  /** Whether the brand equals a stored version, so that results can be cached by it. Default: true. */
  readonly brandIsStored?: boolean;
  /** Translation catalogues in order of precedence. */
  readonly catalogues: readonly string[];
  readonly data: Values;
  /** The tenant of the message's context, as variables name it. */
  readonly tenant?: Values;
  /** The merged profile. */
  readonly profile: Values;
  readonly builtIns: BuiltIns;
}

/** Variables of every message beside its data. */
interface BuiltIns {
  readonly messageId: string;
  /** Event name of the send. */
  readonly event: string;
  readonly recipient: string;
  /** The template's id, or its name where there is no such template; empty for content of the send. */
  readonly template: string;
  readonly topicId?: string | null;
  readonly mode: 'production' | 'test';
  readonly scope: 'published' | 'draft';
  /** The time of the rendering, ms since the epoch. */
  readonly nowMs: number;
  /** The links of the recipient. Absent: their variables are empty. */
  readonly urls?: RecipientLinkUrls;
}

/** Addresses of the pages by which the recipient unsubscribes, and chooses what to get. */
interface RecipientLinkUrls {
  readonly unsubscribe: string;
  readonly preferences: string;
}

const NO_URLS: RecipientLinkUrls = { unsubscribe: '', preferences: '' };

/** The links in previews, which have no recipient. */
export const EXAMPLE_URLS: RecipientLinkUrls = {
  unsubscribe: 'https://example.com/u/example',
  preferences: 'https://example.com/p/example',
};

/** Builds the rendering input of a message: one scope for sends and previews, so that both render alike. */
export function messageInput(parts: MessageParts): PortableRenderInput {
  const { workspaceId, brand, brandIsStored = true, catalogues, data, profile, builtIns, tenant } = parts;
  // Names after a spread cost microseconds each, so it is last here and below.
  return {
    content: parts.content,
    contentKey: parts.contentKey,
    channel: parts.channel,
    provider: parts.provider,
    utm: parts.utm,
    requiresVariables: parts.requiresVariables,
    locale: typeof profile.locale === 'string' ? profile.locale : undefined,
    brand: brand && (brandIsStored ? { key: JSON.stringify([workspaceId, brand.id, brand.version]), ...brand } : brand),
    scope: { data, profile, builtIns: variablesOf(builtIns), catalogues, ...(tenant && { tenant }) },
  };
}

/** A language as most profiles have it, with script or region: `pt_BR`. Anything longer might be more than a language. */
const PLAIN_LOCALE = /^[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|[0-9]{3}))?$/;

/** The locale where it is only a language, with script or region; undefined otherwise. */
export function plainLocale(locale: string | undefined): string | undefined {
  return locale !== undefined && PLAIN_LOCALE.test(locale.replaceAll('-', '_')) ? locale : undefined;
}

/**
 * The same rendering without the values of its message, so that the result has no data of a person: only the content with its brand and
 * translations. Left out are data, profile, tenant, recipient, ids, event and UTM parameters.
 */
export function withoutValues(input: PortableRenderInput): PortableRenderInput {
  const { content, contentKey, channel, provider, locale, brand, frame, scope, utm: _utm, requiresVariables: _, ...others } = input;
  others satisfies Record<string, never>; // a new field might have data of a person
  const { template, courier, datetime } = scope.builtIns ?? {};
  const builtIns = { messageId: '', event: '', recipient: '', template, courier, datetime };
  return {
    ...{ content, contentKey, channel, provider, brand, frame },
    locale: plainLocale(locale),
    scope: { data: {}, profile: {}, builtIns, catalogues: scope.catalogues },
  };
}

function variablesOf({ messageId, event, recipient, template, topicId, mode, scope, nowMs, urls = NO_URLS }: BuiltIns) {
  return {
    messageId,
    event,
    recipient,
    template,
    courier: { environment: mode, scope },
    datetime: { year: new Date(nowMs).getUTCFullYear() },
    urls,
    get unsubscribe_url() {
      return urls.unsubscribe;
    },
    get preferences_url() {
      return urls.preferences;
    },
    ...(topicId && { subscriptionTopicId: topicId }),
  };
}
