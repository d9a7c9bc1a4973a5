import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import { LRUCache } from 'lru-cache';
import { NO_HEADERS } from '../call-override';
import type { ClientRequest } from './http-client';
import type { VendorRequest } from './operation';

const OF_JSON = { 'content-type': 'application/json; charset=utf-8' } as const;
const OF_FORM = { 'content-type': 'application/x-www-form-urlencoded' } as const;

/** URLs that are the same for many messages. */
const URLS = new LRUCache<string, URL>({ max: 1_000, memoMethod: withoutHash });
/** Base URLs without query, fragment and slash at the end. */
const BASES = new LRUCache<string, string>({ max: 1_000, memoMethod: (text) => text.replace(/[?#].*$/s, '').replace(/\/$/, '') });

/**
 * The request in the form of the wire, without credentials.
 * @param change of the send: merged into the body, as in `deepMerge` with `nullRemoves`; into each object of an array.
 * @throws ServiceError where the changed field of a form is no text, or a parameter of the path is none.
 */
export function wireRequest(baseUrl: string, request: VendorRequest, change?: JsonObject): ClientRequest | Promise<ClientRequest> {
  const { body: given, overridden, operation } = request;
  const content = given && change ? changed(given, overridden === undefined ? change : { [overridden]: change }) : given;
  if (operation.encoding === 'multipart' && content) return multipart(content).then((form) => withContent(baseUrl, request, form));
  return withContent(baseUrl, request, content ? encoded(content, request) : {});
}

function withContent(baseUrl: string, request: VendorRequest, { type = NO_HEADERS, body }: Content): ClientRequest {
  const { operation, headers, audience, isRecipients } = request;
  const { url, path } = addressOf(baseUrl, request);
  const { method } = operation;
  return { url, path, method, headers: headers ? Object.assign({}, type, headers) : type, body, once: isRecipients, audience };
}

function changed(body: JsonObject | readonly JsonObject[], change: JsonObject) {
  const merged = (one: JsonObject) => deepMerge(one, change, { nullRemoves: true });
  return isJsonObject(body) ? merged(body) : body.map(merged);
}

function addressOf(baseUrl: string, request: VendorRequest): Pick<ClientRequest, 'url' | 'path'> {
  const { url, query, operation } = request;
  const base = url === undefined ? BASES.memo(baseUrl) : '';
  if (operation.isOfDevice) {
    const shared = URLS.memo(base);
    return { url: shared, path: `${shared.pathname.replace(/\/$/, '')}${pathOf(request)}` };
  }
  const text = url ?? `${base}${pathOf(request)}`;
  if (!query) return { url: URLS.memo(text) };
  const target = withoutHash(text);
  for (const [name, value] of Object.entries(query)) target.searchParams.append(name, value);
  return { url: target };
}

function withoutHash(text: string) {
  const url = new URL(text);
  if (text.includes('#')) url.hash = '';
  return url;
}

function pathOf({ operation, parameters = {} }: VendorRequest) {
  if (!operation.path.includes('{')) return operation.path;
  return operation.path.replace(/\{(\+?)(\w+)\}/g, (_match, raw: string, name: string) => {
    const value = parameters[name] ?? '';
    return raw ? value : segmentOf(name, value);
  });
}

/**
 * A colon needs no encoding, and not every vendor decodes it.
 * @throws ServiceError for a text that would make another path: recipients name channels, devices, ….
 */
function segmentOf(name: string, text: string) {
  if (/^\.{0,2}$/.test(text)) throw invalid(`${JSON.stringify(text)} is no ${name.replaceAll('_', ' ')}`);
  return encodeURIComponent(text).replaceAll('%3A', ':');
}

/** A body, and the headers of its type. */
interface Content {
  readonly type?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

function encoded(content: JsonObject | readonly JsonObject[], { operation: { encoding = 'json' }, seal }: VendorRequest): Content {
  const json = () => JSON.stringify(content);
  if (encoding === 'json') return { type: OF_JSON, body: json() };
  if (encoding === 'binary') return { type: { 'content-type': 'application/octet-stream' }, body: seal?.(json()) };
  return { type: OF_FORM, body: new URLSearchParams(fieldsOf(content as JsonObject) as [string, string][]).toString() };
}

async function multipart(content: JsonObject | readonly JsonObject[]): Promise<Content> {
  const form = new FormData();
  for (const [name, value] of fieldsOf(content as JsonObject)) form.append(name, value);
  // It encodes the form, with a boundary that its media type names.
  const encoder = new Response(form);
  const type = { 'content-type': encoder.headers.get('content-type') ?? '' };
  return { type, body: new Uint8Array(await encoder.arrayBuffer()) };
}

/** The fields of a form; one given several times is in it as often. */
function fieldsOf(fields: JsonObject) {
  const given: [name: string, value: string | File][] = [];
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') given.push([name, String(one)]);
      else if (one instanceof File) given.push([name, one]);
      else if (one !== undefined) throw invalid(`override.body.${name.slice(0, 100)} must be a text, or an array of texts`);
    }
  }
  return given;
}
