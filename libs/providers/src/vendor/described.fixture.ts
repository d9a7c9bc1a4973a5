import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';

/** A schema of a vendor's description, in one form for all formats. */
export interface Described {
  /** Absent: any. */
  readonly type?: string;
  /** Absent: any names. */
  readonly properties?: Readonly<Record<string, () => Described>>;
  readonly required?: readonly string[];
  readonly items?: () => Described;
  /** The only values. */
  readonly values?: readonly unknown[];
}

/** An operation of a vendor's description. */
export interface DescribedOperation {
  /** Absent, as the path: not described. */
  readonly method?: string;
  /** With `{parameters}`. */
  readonly path?: string;
  /** The path of the server's address, where it has one: ours may be in our base URL. */
  readonly basePath?: string;
  readonly request?: Described;
  readonly answer?: Described;
  readonly failure?: Described;
}

type Document = Readonly<JsonObject>;

/**
 * The operation at `file#pointer` of a folder of descriptions, JSON or YAML: OpenAPI 3, Swagger 2, botocore, Google's discovery,
 * Telegram's methods, or a definition of JSON Schema, which says nothing of method and path.
 */
export function describedAt(folder: string, reference: string): DescribedOperation {
  const [file = '', pointer = ''] = reference.split('#');
  const text = readFileSync(path.join(folder, file), 'utf8');
  const document = (file.endsWith('.json') ? JSON.parse(text) : parse(text)) as Document;
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const operation = at(document, names);
  if (document.shapes) return ofBotocore(document, operation, names.at(-1)!);
  if (document.$schema) return { request: schemaOf(operation, resolverOf(document)) };
  if (document.methods && document.types) return ofTelegram(operation);
  if (document.kind === 'discovery#restDescription') return ofDiscovery(document, operation);
  return ofOpenApi(document, operation, names);
}

function at(value: unknown, names: readonly string[]): JsonObject {
  const found = names.reduce<unknown>((one, name) => (isJsonObject(one) ? one[name] : undefined), value);
  if (!isJsonObject(found)) throw new Error(`There is no object at ${names.join(' / ')}`);
  return found;
}

function ofOpenApi(document: Document, operation: JsonObject, [, route = '', method = '']: readonly string[]): DescribedOperation {
  const resolved = resolverOf(document);
  const bodyOf = (holder: unknown) => {
    const { content, schema } = resolved(holder);
    const [media] = isJsonObject(content) ? Object.values(content) : [];
    const found = isJsonObject(media) ? media.schema : schema;
    return found === undefined ? undefined : schemaOf(found, resolved);
  };
  const parameters = ((operation.parameters ?? []) as unknown[]).map(resolved).filter((one) => one.in === 'query' || one.in === 'formData');
  const fields = parameters.length === 0 ? undefined : ofParameters(parameters, resolved);
  const responses = Object.entries(resolved(operation.responses));
  const success = responses.find(([status]) => /^2/.test(status));
  const failure = responses.find(([status]) => !/^2/.test(status));
  const [server] = Array.isArray(document.servers) ? (document.servers as { url: string }[]) : [];
  return {
    method: method.toUpperCase(),
    path: route,
    basePath: server && new URL(server.url).pathname.replace(/\/$/, ''),
    request: operation.requestBody === undefined ? fields : bodyOf(operation.requestBody),
    answer: success && bodyOf(success[1]),
    failure: failure && bodyOf(failure[1]),
  };
}

/** Follows references within a document. */
function resolverOf(document: Document) {
  return function resolved(value: unknown): JsonObject {
    if (!isJsonObject(value)) return {};
    return typeof value.$ref === 'string' ? resolved(at(document, value.$ref.split('/').slice(1))) : value;
  };
}

/** Fields of a form or a query. JSON in one of them is described as a text: its type is not compared. */
function ofParameters(parameters: readonly JsonObject[], resolved: (value: unknown) => JsonObject): Described {
  const named = parameters.map((one) => [String(one.name), one] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(([name, one]) => [name, () => scalar(schemaOf(one.schema ?? one, resolved))])),
    required: named.flatMap(([name, one]) => (one.required === true ? [name] : [])),
  };
}

const scalar = ({ values }: Described): Described => ({ values });

function schemaOf(value: unknown, resolved: (value: unknown) => JsonObject): Described {
  const { type, properties, required, items, enum: values, allOf, oneOf, anyOf } = resolved(value);
  if (Array.isArray(allOf)) return joined(allOf.map((one) => schemaOf(one, resolved)));
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives)) return either(alternatives.map((one) => schemaOf(one, resolved)));
  const names = isJsonObject(properties) ? Object.entries(properties) : [];
  return {
    type: typeof type === 'string' ? type : undefined,
    ...(names.length > 0 && { properties: Object.fromEntries(names.map(([name, one]) => [name, () => schemaOf(one, resolved)])) }),
    required: Array.isArray(required) ? (required as string[]) : [],
    ...(items !== undefined && { items: () => schemaOf(items, resolved) }),
    ...(Array.isArray(values) && { values }),
  };
}

function joined(parts: readonly Described[]): Described {
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as NonNullable<Described['properties']>;
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties }),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

/** One of several schemas: what any of them has. */
function either(parts: readonly Described[]): Described {
  const [first] = parts;
  if (!first || parts.some(({ type }) => type !== first.type)) return {};
  const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
  const partsWith = (name: string) => parts.flatMap(({ properties = {} }) => (properties[name] ? [properties[name]()] : []));
  return {
    type: first.type,
    ...(parts.every(({ properties }) => properties) && {
      properties: Object.fromEntries([...names].map((name) => [name, () => either(partsWith(name))])),
    }),
    ...(parts.every(({ items }) => items) && { items: () => either(parts.map(({ items }) => items!())) }),
    ...(parts.every(({ values }) => values) && { values: parts.flatMap(({ values = [] }) => values) }),
  };
}

const BOTOCORE_TYPES: Readonly<Record<string, string>> = {
  structure: 'object',
  map: 'object',
  list: 'array',
  blob: 'string',
  long: 'integer',
  float: 'number',
  double: 'number',
  timestamp: 'number',
};

function ofBotocore(document: Document, operation: JsonObject, action: string): DescribedOperation {
  const { shapes, metadata } = document as { shapes: JsonObject; metadata: { protocol: string; apiVersion: string } };
  const shapeOf = (value: unknown): Described => {
    const shape = at(shapes, [String((value as JsonObject).shape)]);
    const { type, members, member, required, enum: values } = shape;
    // What travels in the path or in the query is no part of the body.
    const inBody = Object.entries((members ?? {}) as Record<string, JsonObject>).filter(([, one]) => one.location === undefined);
    const inPath = Object.entries((members ?? {}) as Record<string, JsonObject>).flatMap(([name, one]) => (one.location ? [name] : []));
    return {
      type: BOTOCORE_TYPES[String(type)] ?? String(type),
      ...(type === 'structure' && { properties: Object.fromEntries(inBody.map(([name, one]) => [name, () => shapeOf(one)])) }),
      required: ((required ?? []) as string[]).filter((name) => !inPath.includes(name)),
      ...(member !== undefined && { items: () => shapeOf(member) }),
      ...(Array.isArray(values) && { values }),
    };
  };
  const { method, requestUri } = operation.http as { method: string; requestUri: string };
  const { input, output } = operation;
  /** The fields of a form: of structures the members by their paths, of maps and lists numbered entries. */
  const fieldsOf = (value: unknown, name: string): [string, () => Described][] => {
    const { type, members, member, value: entry } = at(shapes, [String((value as JsonObject).shape)]);
    const within = (one: string) => (name === '' ? one : `${name}.${one}`);
    if (type === 'structure') return Object.entries(members as JsonObject).flatMap(([one, shape]) => fieldsOf(shape, within(one)));
    const numbers = [1, 2, 3].map(String);
    if (type === 'list') return numbers.flatMap((number) => fieldsOf(member, `${name}.member.${number}`));
    if (type !== 'map') return [[name, () => shapeOf(value)]];
    return numbers.flatMap((number): [string, () => Described][] => [
      [`${name}.entry.${number}.Name`, () => ({ type: 'string' })],
      ...fieldsOf(entry, `${name}.entry.${number}.Value`),
    ]);
  };
  const formOf = (value: unknown): Described => ({
    properties: {
      Action: () => ({ values: [action] }),
      Version: () => ({ values: [metadata.apiVersion] }),
      ...Object.fromEntries(fieldsOf(value, '')),
    },
    required: ['Action', 'Version', ...(shapeOf(value).required ?? [])],
  });
  const requestOf = metadata.protocol === 'query' ? formOf : shapeOf;
  return { method, path: requestUri, request: input ? requestOf(input) : undefined, answer: output ? shapeOf(output) : undefined };
}

function ofDiscovery({ schemas }: Document, operation: JsonObject): DescribedOperation {
  const resolved = (value: unknown): JsonObject => {
    if (!isJsonObject(value)) return {};
    return typeof value.$ref === 'string' ? at(schemas, [value.$ref]) : value;
  };
  const { httpMethod, flatPath, request, response } = operation;
  return {
    method: String(httpMethod),
    path: `/${String(flatPath)}`,
    request: request === undefined ? undefined : schemaOf(request, resolved),
    answer: response === undefined ? undefined : schemaOf(response, resolved),
  };
}

const TELEGRAM_TYPES: Readonly<Record<string, string>> = { Integer: 'integer', Float: 'number', String: 'string', Boolean: 'boolean' };

/** Telegram serves every method by GET and by POST. */
function ofTelegram({ name, fields = [] }: JsonObject): DescribedOperation {
  const parameters = (fields as { name: string; types: string[]; required: boolean }[]).map(({ types, ...field }) => ({
    ...field,
    type: types.length > 1 ? undefined : (TELEGRAM_TYPES[types[0]!] ?? (types[0]!.startsWith('Array of ') ? 'array' : 'object')),
  }));
  const request = {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name: field, type }) => [field, () => ({ type })])),
    required: parameters.flatMap(({ name: field, required }) => (required ? [field] : [])),
  };
  return { method: parameters.length > 0 ? 'POST' : 'GET', path: `/bot{token}/${String(name)}`, ...(parameters.length > 0 && { request }) };
}
