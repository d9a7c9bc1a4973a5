import { fieldNames, type Schema, type Schemas } from './schema';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Content;
}

interface Described {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-scope'?: string;
  readonly 'x-not-served'?: boolean;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** An OpenAPI document, as far as the reference reads it. */
export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Schemas; readonly responses?: Readonly<Record<string, Response>> };
}

/** An example in a language. */
export interface CodeSample {
  readonly label: string;
  readonly source: string;
}

/** A body of a request or an answer. */
export interface Body {
  readonly types: readonly string[];
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly body?: Body;
}

/** An operation of the interface. */
export interface Operation {
  /** Its name in addresses: `post-send`. */
  readonly slug: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a credential needs; `none` without a credential, `any` with one of any scope. */
  readonly scope?: string;
  readonly isServed: boolean;
  readonly parameters: readonly Parameter[];
  readonly body?: Body & { readonly isRequired: boolean };
  readonly answers: readonly Answer[];
  readonly errors: readonly Answer[];
  readonly samples: readonly CodeSample[];
  /** The names of all fields of requests and successful answers. */
  readonly fields: ReadonlySet<string>;
}

/** The operations of the interface. */
export interface Reference {
  readonly version: string;
  readonly operations: readonly Operation[];
  /** By resource: the first segment of their paths, in alphabetical order. */
  readonly groups: readonly (readonly [name: string, operations: readonly Operation[]])[];
  readonly schemas: Schemas;
}

/** Reads an OpenAPI document. */
export function readOpenApi({ info, paths, components }: OpenApiDocument): Reference {
  const { schemas, responses = {} } = components;
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, described]) => readOperation(verb.toUpperCase(), path, described, { schemas, responses })),
  );
  const names = [...new Set(operations.map(groupOf))].sort();
  const groups = names.map((name) => [name, operations.filter((operation) => groupOf(operation) === name)] as const);
  return { version: info.version, operations, schemas, groups };
}

/** The resource of an operation: the first segment of its path. */
export function groupOf({ path }: Pick<Operation, 'path'>): string {
  return path.split('/')[1] ?? '';
}

type Components = Required<OpenApiDocument['components']>;

function readOperation(method: string, path: string, described: Described, { schemas, responses }: Components): Operation {
  const { summary = '', description, parameters = [], requestBody } = described;
  const answers = Object.entries(described.responses).map(([status, response]) => readAnswer(status, response, responses));
  const body = bodyOf(requestBody?.content);
  const succeeded = answers.filter(({ status }) => isSuccess(status));
  const roots = [...(body ? [body.schema] : []), ...succeeded.flatMap((one) => one.body?.schema ?? [])];
  return {
    slug: `${method} ${path}`.replace(/\W+/g, '-').replace(/-$/, '').toLowerCase(),
    method,
    path,
    summary,
    description,
    scope: described['x-scope'],
    isServed: !described['x-not-served'],
    parameters,
    body: body && { ...body, isRequired: requestBody?.required ?? false },
    answers: succeeded,
    errors: answers.filter(({ status }) => !isSuccess(status)),
    samples: described['x-codeSamples'] ?? [],
    fields: new Set([...parameters.map(({ name }) => name), ...fieldNames(roots, schemas)]),
  };
}

/** A redirect is a success, too. */
const isSuccess = (status: string) => /^[23]/.test(status);

function readAnswer(status: string, response: Response, responses: Components['responses']): Answer {
  const { description, content } = responses[response.$ref?.slice(response.$ref.lastIndexOf('/') + 1) ?? ''] ?? response;
  return { status, description, body: bodyOf(content) };
}

function bodyOf(content: Content = {}): Body | undefined {
  const [first, ...others] = Object.entries(content);
  if (!first) return undefined;
  const [type, { schema, example }] = first;
  return { types: [type, ...others.map(([one]) => one)], schema, example };
}
