import { isHttpUrl } from '@tidings/contracts/core/http-url';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import type { Mailbox } from '@tidings/contracts/messaging/mailbox';
import type { VendorCallback } from '../callback/callback';
import type { Attempt, Failed, Outcome, PushReceipt, Retry } from '../provider';
import type { OpenProvider, ProviderKind, SettingFields, TestResult } from '../provider-kind';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { readSettings, type SettingProblem, type SettingValues } from '../setting-values';
import type { HttpAnswer } from './http-call';
import type { ClientOptions, ClientRequest, Transport } from './http-client';
import type { Limits } from './limits';
import type { VendorOperation, VendorRequest } from './operation';
import { defaultBaseUrl, VendorProvider } from './vendor-provider';

/** The channels that vendors serve. */
export type VendorChannel = Recipient['channel'];

/** One message for one recipient, as a vendor's `request` gets it. */
export interface VendorMessage<Channel extends VendorChannel = VendorChannel> {
  readonly rendered: Extract<Rendered, { kind: Channel }>;
  /** With `tokensPerCall`, at most so many tokens, all of this vendor. */
  readonly recipient: Extract<Recipient, { channel: Channel }>;
  readonly attempt: Attempt;
  /** The operator's sender of mails. */
  readonly sender?: Mailbox;
  /** What `lookup` found. */
  readonly found?: string;
  /** Which one of several `partsOf` the message, from 0. */
  readonly part?: number;
  /** The address for reports about it; absent where the installation has no public address. */
  readonly callbackUrl?: string;
}

/** A vendor's answer. */
export interface VendorAnswer extends HttpAnswer {
  /** Its body; an empty object where that is no JSON object. */
  readonly json: JsonObject;
  /** `SendGrid answered 400: …` with the vendor's words, for an outcome. */
  readonly error: string;
  /** Its `Retry-After`, for an outcome that may pass. */
  readonly retryAfterMs?: number;
  /** When it came, ms since the epoch. */
  readonly nowMs: number;
}

/** Headers to add to a request, or the outcome where they cannot be had. */
export type SignedHeaders = Readonly<Record<string, string>> | Retry | Failed;

/** Headers that prove the origin of each request, where they depend on the request or on a token that expires. */
export interface Signer {
  headersOf(request: ClientRequest, signal?: AbortSignal): SignedHeaders | Promise<SignedHeaders>;
  /** Whether the answer says that the token of these headers has expired: the next ones have another, and the request is repeated once. */
  isExpired?(answer: VendorAnswer, headers: Readonly<Record<string, string>>): boolean;
}

/** A first call that finds what the request needs, such as a user by an e-mail address. */
export interface Lookup {
  readonly request: VendorRequest;
  /** Where it is set, what was found is cached for an hour under this name. */
  readonly cacheKey?: string;
  /** What was found, or the outcome; undefined: that by the status. */
  read(answer: VendorAnswer): string | Outcome | undefined;
}

/**
 * The definition of a vendor: what its settings are, and how a message becomes a request and an answer an outcome. Its functions are pure;
 * connections, time limits, overrides of the send, limits and the classification of other answers are the same for all vendors.
 */
export interface Vendor<Fields extends SettingFields, Channel extends VendorChannel, Settings = SettingValues<Fields>> {
  /** Its name in configurations, routings and SDKs. */
  readonly key: string;
  readonly channel: Channel;
  readonly title: string;
  readonly description: string;
  /** Which credentials to make, and where: Markdown for its page in docs/providers. */
  readonly setup: string;
  /** A complete example of settings, for its page; placeholders for secrets. */
  readonly example: Readonly<JsonObject>;
  /** An example of a recipient, for its page. Default: by its channel, for push a user with a stored token. */
  readonly to?: Readonly<JsonObject>;
  /** Its settings without `base_url`, which every vendor has. */
  readonly fields: Fields;
  /** What each setting is, for its page; `base_url` where it is not just another address of the vendor. */
  readonly about: { readonly [Name in keyof Fields]: string } & { readonly base_url?: string };
  /** How it reports what became of messages. Default: it does not. */
  readonly callback?: VendorCallback;
  /** Settings that a send may replace by `override.config`. */
  readonly overridable?: readonly (keyof Fields & string)[];
  /** Fields of `override.body` that are no fields of the request: the content's `raw` is in it, and its renderer has read these. */
  readonly ofContent?: readonly string[];
  /** The override of a send in the general form: `{body, config, headers}`. Default: it has that form. */
  overrideOf?(override: Readonly<JsonObject>): JsonObject;
  /** The problems of rules between settings, as in `readSettings`. */
  check?(given: Partial<SettingValues<Fields>>): readonly (SettingProblem | false | undefined)[];
  /** Settings in the form that the other functions get. Default: as they are. */
  settingsOf?(values: SettingValues<Fields>): Settings;
  /** The default of `settings.base_url`; undefined: there is none, every request has an address of its own. */
  readonly baseUrl: string | ((settings: Settings) => string) | undefined;
  /** The setting that names another host than the base URL, where there is one. Undefined: recipients name the hosts, if no default does. */
  hostOf?(settings: Settings): { readonly setting: string; readonly host: string } | undefined;
  readonly operations: Readonly<Record<string, VendorOperation>>;
  readonly limits: Limits;
  /** Push: tokens in one call. The calls of a message are made a few at once; tokens of other vendors are left out. */
  readonly tokensPerCall?: number;
  /** The message as several, sent one after another. Default: one. */
  partsOf?(message: VendorMessage<Channel>): readonly VendorMessage<Channel>['rendered'][];
  recipientOf?(recipient: Recipient): Recipient | undefined;
  readonly needs?: string;
  /** Headers with the credentials. Default: none. */
  credentials?(settings: Settings): Readonly<Record<string, string>>;
  /** Instead of `credentials`, where they are made for a request. */
  signer?(settings: Settings, surroundings: { readonly transport: Transport; readonly now: () => number }): Signer;
  /** Default: `HttpClient`. */
  transport?(options: ClientOptions): Transport;
  lookup?(message: VendorMessage<Channel>, settings: Settings): Lookup | undefined;
  /** What the request needs instead of what it had, by its answer: it is made once more, with this as `found`. */
  foundIn?(answer: VendorAnswer): string | undefined;
  /** @throws ServiceError naming what of the message is invalid: a permanent failure. */
  request(message: VendorMessage<Channel>, settings: Settings): VendorRequest | Failed;
  /** The vendor's words about a failure, in its answer. Default: the whole body. */
  words?(json: JsonObject, body: string): unknown;
  /** The outcome of an answer; undefined: by the status, `accepted` without an id where it is one of success. */
  read(answer: VendorAnswer, message: VendorMessage<Channel>): Outcome | undefined;
  /** How receipts of accepted push messages are requested, at most `RECEIPTS_MAX`. Default: there are none. */
  readonly receipts?: VendorReceipts<Settings>;
  /** A text: why there is none. */
  readonly test: VendorTest<Settings> | string;
}

/** How receipts of push messages are requested. */
export interface VendorReceipts<Settings> {
  request(tickets: readonly string[], settings: Settings): VendorRequest;
  /** The receipts of an answer of success, by their tickets. */
  read(answer: VendorAnswer): ReadonlyMap<string, PushReceipt>;
}

/** How the credentials are proven without a message. */
export interface VendorTest<Settings> {
  /** A request that changes nothing; a text: why there is none with these settings. */
  request(settings: Settings): VendorRequest | string;
  /** Undefined: by the status. */
  read?(answer: VendorAnswer): TestResult | undefined;
}

/** What `defineVendor` makes: a kind with the facts for its page. */
export interface VendorKind extends ProviderKind<VendorSettings> {
  open(settings: VendorSettings, surroundings: VendorSurroundings): OpenProvider;
  readonly page: {
    readonly setup: string;
    readonly example: Readonly<JsonObject>;
    readonly to: Readonly<JsonObject>;
    readonly about: Readonly<Record<string, string>>;
    /** The default of `base_url`, where it is the same for all settings. */
    readonly baseUrl?: string;
    /** Why the credentials cannot be tested. */
    readonly untestable?: string;
    readonly overridable: readonly string[];
    readonly operations: Readonly<Record<string, VendorOperation>>;
    readonly limits: Limits;
    readonly callback?: VendorCallback;
  };
}

const BASE_URL = { base_url: { type: 'string', required: false, lengthMax: 2_048, destination: true } } as const;

/** Examples of recipients, for pages. */
const RECIPIENTS: Partial<Record<VendorChannel, Readonly<JsonObject>>> = {
  email: { email: 'ada@example.com' },
  sms: { phone_number: '+4915123456789' },
  push: { user_id: 'ada' },
};

/** The settings of a vendor, read. */
export interface VendorSettings {
  /** As configured, secrets included, without `base_url`. */
  readonly values: Readonly<JsonObject>;
  readonly baseUrl?: string;
}

/** What a vendor's provider is opened with. */
export interface VendorSurroundings extends ClientOptions {
  /** The operator's sender of mails. */
  readonly sender?: Mailbox;
  /** As in `VendorMessage`. */
  readonly callbackUrl?: string;
  /** Default: the clock. */
  readonly now?: () => number;
}

/** The kind of a vendor. */
export function defineVendor<const Fields extends SettingFields, Channel extends VendorChannel, Settings = SettingValues<Fields>>(
  vendor: Vendor<Fields, Channel, Settings>,
): VendorKind {
  const { key, channel, title, description, setup, example, baseUrl, overridable = [], operations, limits, tokensPerCall, needs } = vendor;
  const fields = { ...vendor.fields, ...(baseUrl !== undefined && BASE_URL) };
  const settingsOf = (values: Readonly<JsonObject>) =>
    vendor.settingsOf ? vendor.settingsOf(values as unknown as SettingValues<Fields>) : (values as unknown as Settings);
  return {
    key,
    channels: [channel],
    title,
    description,
    fields,
    parseSettings(value) {
      const { base_url, ...values } = readSettings(fields as SettingFields, value, ({ base_url: given, ...others }) => [
        given !== undefined && !isHttpUrl(given) && ['base_url', 'must be an http or https URL without a user name or password in it'],
        ...(vendor.check?.(others as unknown as Partial<SettingValues<Fields>>) ?? []),
      ]);
      return { values, baseUrl: base_url };
    },
    channelOf: () => channel,
    hostOf({ values, baseUrl: given }) {
      const settings = settingsOf(values);
      const other = given === undefined && vendor.hostOf?.(settings);
      const url = given ?? defaultBaseUrl(vendor, settings);
      return other || (!url ? undefined : { setting: 'base_url', host: new URL(url).hostname });
    },
    recipientOf: vendor.recipientOf ?? (tokensPerCall === undefined ? undefined : (recipient) => withTokensOf(key, recipient)),
    needs: needs ?? (tokensPerCall === undefined ? undefined : `${key} needs a push token of the user with this provider_key`),
    open: (settings, surroundings) => new VendorProvider({ ...vendor, fields, settingsOf }, settings, surroundings),
    page: {
      setup,
      example,
      to: vendor.to ?? RECIPIENTS[channel] ?? {},
      about: vendor.about,
      baseUrl: typeof baseUrl === 'string' ? baseUrl : undefined,
      untestable: typeof vendor.test === 'string' ? vendor.test : undefined,
      overridable,
      operations,
      limits,
      callback: vendor.callback,
    },
  };
}

function withTokensOf(key: string, recipient: Recipient): Recipient | undefined {
  if (recipient.channel !== 'push') return undefined;
  const tokens = recipient.tokens.filter(({ provider_key }) => provider_key === key);
  return tokens.length > 0 ? { ...recipient, tokens } : undefined;
}
