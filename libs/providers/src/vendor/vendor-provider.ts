import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { LRUCache } from 'lru-cache';
import { BaseProvider } from '../base-provider';
import { NO_HEADERS, readOverride, withoutReserved } from '../call-override';
import { type Attempt, failed, type Failed, type Outcome, type PushReceipts, type Retry } from '../provider';
import type { SettingField, SettingFields, TestResult } from '../provider-kind';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { accepted, classify, isSuccess, ofThisMessage, toResponse } from './classify';
import type { HttpAnswer } from './http-call';
import { type ClientRequest, HttpClient } from './http-client';
import { problemOf } from './limits';
import type { VendorRequest } from './operation';
import { PartsInOrder } from './parts-in-order';
import { ReceivedAnswer } from './received-answer';
import { callEach } from './token-calls';
import type { Lookup, Signer, Vendor, VendorAnswer, VendorChannel, VendorMessage, VendorSettings, VendorSurroundings } from './vendor';
import { wireRequest } from './wire-request';

/** How many found users, channels, … are cached, and how long. */
const FOUND_MAX = 10_000;
const FOUND_MS = 3_600_000;
/** Bytes of a UTF-16 code unit in UTF-8. */
const UTF8_BYTES_MAX = 3;
type Headers = Readonly<Record<string, string>>;
/** A shorter text may occur in an answer by chance. */
const SECRET_LENGTH_MIN = 8;

/** A definition, and how its settings are made of the stored ones. */
type Defined<Fields extends SettingFields, Channel extends VendorChannel, Settings> = Vendor<Fields, Channel, Settings> & {
  readonly settingsOf: (values: Readonly<JsonObject>) => Settings;
};

/** What the send changes of a request. */
interface Change {
  readonly body?: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

interface Attempted {
  readonly outcome: Outcome;
  /** As in `VendorRequest`. */
  readonly isRecipients?: boolean;
}

/** The base URL of settings without one; undefined where the vendor has none. */
export function defaultBaseUrl<Settings>({ baseUrl }: Pick<Vendor<SettingFields, VendorChannel, Settings>, 'baseUrl'>, settings: Settings) {
  return typeof baseUrl === 'function' ? baseUrl(settings) : baseUrl;
}

/** Sends each message with the calls that a vendor's definition makes of it. */
export class VendorProvider<Fields extends SettingFields, Channel extends VendorChannel, Settings> extends BaseProvider {
  readonly key = this.vendor.key;
  private readonly settings = this.vendor.settingsOf(this.stored.values);
  private readonly baseUrl = defaultBaseUrl(this.vendor, this.settings) ?? '';
  private readonly secrets = secretsOf(this.vendor.fields, this.stored.values, this.surroundings.callbackUrl);
  private readonly credentials = this.vendor.credentials?.(this.settings);
  private readonly joined = new WeakMap<Headers, Headers>();
  private readonly now = this.surroundings.now ?? Date.now;
  private readonly transport = this.vendor.transport?.(this.surroundings) ?? new HttpClient(this.surroundings);
  private readonly signer = this.vendor.signer?.(this.settings, { transport: this.transport, now: this.now });
  private readonly parts = this.vendor.partsOf && new PartsInOrder();
  private readonly found = this.vendor.lookup && new LRUCache<string, string>({ max: FOUND_MAX, ttl: FOUND_MS });

  constructor(
    private readonly vendor: Defined<Fields, Channel, Settings>,
    private readonly stored: VendorSettings,
    private readonly surroundings: VendorSurroundings,
  ) {
    super();
  }

  send(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    return this.tracked(attempt, () => this.sendMessage(rendered, recipient, attempt));
  }

  async test(signal: AbortSignal): Promise<TestResult> {
    const { test } = this.vendor;
    if (typeof test === 'string') return { ok: false, message: test };
    const request = test.request(this.settings);
    if (typeof request === 'string') return { ok: false, message: request };
    const answer = await this.call(request, this.settings, signal);
    if ('kind' in answer) return { ok: false, message: answer.error };
    const result: TestResult =
      test.read?.(answer) ?? (isSuccess(answer) ? { ok: true } : { ok: false, message: answer.error, status: answer.status });
    return result.ok ? result : { ...result, message: this.withoutSecrets(result.message) };
  }

  async receipts(tickets: readonly string[], signal: AbortSignal): Promise<PushReceipts | Retry | Failed> {
    const { receipts, title } = this.vendor;
    if (!receipts) return failed(`${title} has no receipts`, 'permanent');
    const answer = await this.call(receipts.request(tickets, this.settings), this.settings, signal);
    if ('kind' in answer) return answer;
    if (!isSuccess(answer)) return classify(answer, answer.error, title, answer.nowMs);
    return { kind: 'receipts', found: receipts.read(answer) };
  }

  protected release() {
    return this.transport.close();
  }

  private async sendMessage(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome> {
    const { title, channel, tokensPerCall, limits } = this.vendor;
    if (rendered.kind !== channel || recipient.channel !== channel)
      return failed(`${title} accepts only ${channel}, not ${rendered.kind} for ${recipient.channel}`, 'permanent');
    const problem = problemOf(rendered, limits);
    if (problem !== undefined) return failed(`${title} ${problem}`, 'permanent');
    const { sender, callbackUrl } = this.surroundings;
    const messageOf = (shown: Rendered, reached: Recipient) =>
      ({ rendered: shown, recipient: reached, attempt, sender, callbackUrl }) as unknown as VendorMessage<Channel>;
    if (tokensPerCall === undefined || recipient.channel !== 'push') return this.sendInOrder(messageOf(rendered, recipient));
    const tokens = recipient.tokens.filter(({ provider_key }) => provider_key === this.key);
    const count = Math.ceil(tokens.length / tokensPerCall);
    if (count === 0) return failed(`${title} has no push token of the recipient`, 'permanent');
    const parts = Array.from({ length: count }, (_, i) => tokens.slice(i * tokensPerCall, (i + 1) * tokensPerCall));
    const ofPart = (part: typeof tokens) =>
      messageOf(tokensPerCall === 1 ? withData(rendered, part[0]!.properties) : rendered, { ...recipient, tokens: part });
    return callEach(parts, (part) => this.sendPart(ofPart(part)));
  }

  /** What the send changes of the body is in the last part. */
  private sendInOrder(message: VendorMessage<Channel>): Promise<Outcome> {
    const renderings = this.vendor.partsOf?.(message) ?? [];
    if (renderings.length < 2) return this.sendPart(renderings[0] ? { ...message, rendered: renderings[0] } : message);
    const unchanged = { ...message.attempt, override: { ...message.attempt.override, body: undefined } };
    return this.parts!.send(message.attempt.idempotencyKey, renderings, (rendered, part) => {
      const isLast = part === renderings.length - 1;
      return this.sendPart({ ...message, rendered, part, attempt: isLast ? message.attempt : unchanged });
    });
  }

  private async sendPart(message: VendorMessage<Channel>): Promise<Outcome> {
    const { overridable = [], ofContent = [] } = this.vendor;
    const given = message.attempt.override;
    const override = readOverride((given && this.vendor.overrideOf?.(given)) ?? given, overridable);
    const body = withoutFields(override.body, ofContent);
    const config = Object.keys(override.config).length > 0 ? override.config : undefined;
    const settings = config ? this.vendor.settingsOf({ ...this.stored.values, ...config }) : this.settings;
    const headers = override.headers === NO_HEADERS ? NO_HEADERS : withoutReserved(override.headers);
    const { outcome, isRecipients } = await this.attempt(message, settings, { body, headers });
    // What the send changed may be what the vendor refuses; an outage is none of it.
    const isChanged = config !== undefined || body !== undefined || Object.keys(headers).length > 0;
    return this.shown(isRecipients || (isChanged && outcome.kind === 'failed') ? ofThisMessage(outcome) : outcome);
  }

  private attempt(message: VendorMessage<Channel>, settings: Settings, change: Change): Promise<Attempted> {
    const lookup = this.vendor.lookup?.(message, settings);
    return lookup ? this.attemptFound(lookup, message, settings, change) : this.made(message, settings, change);
  }

  private async attemptFound(lookup: Lookup, message: VendorMessage<Channel>, settings: Settings, change: Change): Promise<Attempted> {
    const found = await this.find(lookup, settings, message.attempt.signal);
    if (typeof found === 'object') return { outcome: found, isRecipients: lookup.request.isRecipients };
    return this.made({ ...message, found }, settings, change);
  }

  private async made(message: VendorMessage<Channel>, settings: Settings, change: Change, isRepeat = false): Promise<Attempted> {
    const request = this.vendor.request(message, settings);
    if ('kind' in request) return { outcome: request };
    const { isRecipients } = request;
    const answer = await this.call(request, settings, message.attempt.signal, change);
    if ('kind' in answer) return { outcome: answer, isRecipients };
    const found = isRepeat ? undefined : this.vendor.foundIn?.(answer);
    if (found !== undefined) return this.made({ ...message, found }, settings, change, true);
    // A spread would cost more.
    const outcome = Object.assign({ response: toResponse(answer) }, this.outcomeOf(answer, this.vendor.read(answer, message)));
    return { outcome, isRecipients };
  }

  private async find({ request, cacheKey, read }: Lookup, settings: Settings, signal?: AbortSignal): Promise<string | Outcome> {
    const cached = cacheKey === undefined ? undefined : this.found?.get(cacheKey);
    if (cached !== undefined) return cached;
    const answer = await this.call(request, settings, signal);
    if ('kind' in answer) return answer;
    const found = read(answer);
    if (typeof found !== 'string') {
      if (found === undefined && isSuccess(answer)) return failed(`${answer.error}: it found nothing`, 'permanent');
      return { ...this.outcomeOf(answer, found), response: toResponse(answer) };
    }
    if (cacheKey !== undefined) this.found?.set(cacheKey, found);
    return found;
  }

  private outcomeOf(answer: VendorAnswer, read: Outcome | undefined): Outcome {
    return read ?? (isSuccess(answer) ? accepted(undefined, false) : classify(answer, answer.error, this.vendor.title, answer.nowMs));
  }

  private async call(
    request: VendorRequest,
    settings: Settings,
    signal?: AbortSignal,
    { body, headers }: Partial<Change> = {},
  ): Promise<VendorAnswer | Retry | Failed> {
    const made = wireRequest(this.stored.baseUrl ?? request.baseUrl ?? this.baseUrl, request, body);
    const wire = made instanceof Promise ? await made : made;
    const { requestBytes = Infinity } = this.vendor.limits;
    const { body: content = '' } = wire;
    // Counted only where it may be too long.
    const bytes = content.length * UTF8_BYTES_MAX > requestBytes ? Buffer.byteLength(content) : 0;
    if (bytes > requestBytes)
      return failed(`The message has ${bytes} bytes for ${this.vendor.title}, which accepts ${requestBytes}`, 'permanent');
    // An address of its own (a webhook) is a credential itself.
    const credentials = request.url === undefined ? this.credentialsOf(settings) : undefined;
    const whole = { ...wire, headers: this.headersOf(credentials, wire.headers, headers, request.headers === undefined) };
    // Awaited here: a promise that is returned settles later.
    if (request.url === undefined && this.signer) return await this.signed(this.signer, whole, signal);
    return this.received(await this.transport.request(whole, signal));
  }

  private async signed(
    signer: Signer,
    wire: ClientRequest,
    signal?: AbortSignal,
    isRepeat = false,
  ): Promise<VendorAnswer | Retry | Failed> {
    const made = signer.headersOf(wire, signal);
    const headers = made instanceof Promise ? await made : made;
    if (isOutcome(headers)) return headers;
    const signed = { ...wire, headers: Object.assign({}, wire.headers, headers) };
    const answer = this.received(await this.transport.request(signed, signal));
    if (isRepeat || 'kind' in answer || !signer.isExpired?.(answer, headers)) return answer;
    return this.signed(signer, wire, signal, true);
  }

  private received(answer: HttpAnswer | Retry | Failed): VendorAnswer | Retry | Failed {
    return 'kind' in answer ? answer : new ReceivedAnswer(answer, this.vendor, this.now());
  }

  private credentialsOf(settings: Settings) {
    return settings === this.settings ? this.credentials : this.vendor.credentials?.(settings);
  }

  /** One object for all requests without headers of their own, which then are joined once. */
  private headersOf(credentials: Headers | undefined, ofRequest: Headers, ofSend: Headers = NO_HEADERS, isUsual = true): Headers {
    if (!credentials && ofSend === NO_HEADERS) return ofRequest;
    const isSame = isUsual && credentials === this.credentials && ofSend === NO_HEADERS;
    let joined = isSame ? this.joined.get(ofRequest) : undefined;
    if (!joined) {
      joined = Object.assign({}, credentials, ofRequest, ofSend);
      if (isSame) this.joined.set(ofRequest, joined);
    }
    return joined;
  }

  /** What is stored and shown of an outcome. */
  private shown(outcome: Outcome): Outcome {
    const { response } = outcome;
    const texts = ['error' in outcome ? outcome.error : '', response?.body ?? ''];
    if (!this.secrets.some((secret) => texts.some((text) => text.includes(secret)))) return outcome;
    return {
      ...outcome,
      ...('error' in outcome && { error: this.withoutSecrets(outcome.error) }),
      ...(response && { response: { ...response, body: this.withoutSecrets(response.body) } }),
    };
  }

  /** A vendor may repeat a wrong key in its answer. */
  private withoutSecrets(text: string) {
    return this.secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  }
}

/** Undefined where no field is left. */
function withoutFields(fields: JsonObject | undefined, names: readonly string[]): JsonObject | undefined {
  if (!fields) return undefined;
  const rest = Object.entries(fields).filter(([name]) => !names.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

/** A push message with the properties of its only token as further data; those of the message come before them. */
function withData(rendered: Rendered, properties: unknown): Rendered {
  if (rendered.kind !== 'push' || !isJsonObject(properties)) return rendered;
  const { push } = rendered;
  return { ...rendered, push: { ...push, data: { ...properties, ...push.data } } };
}

/** Headers of a request, or the outcome where there are none: no header is named `kind`. */
function isOutcome(headers: Readonly<Record<string, string>> | Retry | Failed): headers is Retry | Failed {
  return headers.kind !== undefined;
}

/** The secret texts of settings, and the secret of the callback address. */
function secretsOf(fields: SettingFields, values: Readonly<JsonObject>, callbackUrl = '') {
  const inAddress = callbackUrl.slice(callbackUrl.lastIndexOf('/') + 1);
  const inSettings = Object.entries(fields).flatMap(([name, { secret }]: [string, SettingField]) => {
    const value = values[name];
    return secret && typeof value === 'string' && value.length >= SECRET_LENGTH_MIN ? [value] : [];
  });
  return inAddress === '' ? inSettings : [...inSettings, inAddress];
}
