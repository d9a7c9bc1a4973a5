import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { openApiDocument } from './openapi';
import { requestParts } from './request-parts';
import { validatorOf } from './validator';
import { notServed } from '../not-served';
import { operations } from '../registry';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
interface DocumentedOperation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description?: string;
    readonly example?: unknown;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly servers: unknown;
}

const document = openApiDocument(operations, notServed, { title: 'Tidings', version: '1.2.3' }) as unknown as Document;
const documented = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
const bodies = documented.flatMap(({ operationId, requestBody }) =>
  Object.values(requestBody?.content ?? {}).map((media) => ({ operationId, ...media })),
);
const parameters = documented.flatMap(({ operationId, parameters: own }) =>
  own.map((parameter) => ({ ...parameter, path: `${operationId} ${parameter.name}` })),
);
const properties = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => propertiesOf(schema, name)),
  ...bodies.flatMap(({ schema, operationId }) => propertiesOf(schema, operationId)),
  ...documented.flatMap(({ responses, operationId }) =>
    Object.values(responses).flatMap(({ content = {} }) =>
      Object.values(content).flatMap(({ schema }) => propertiesOf(schema, operationId)),
    ),
  ),
];

/** The properties of a schema, those of nested schemas included. */
function propertiesOf({ properties: own = {}, items, anyOf = [] }: Schema, path: string): { path: string; schema: Schema }[] {
  return [
    ...Object.entries(own).flatMap(([name, schema]) => [{ path: `${path}.${name}`, schema }, ...propertiesOf(schema, `${path}.${name}`)]),
    ...[...anyOf, ...(items ? [items] : [])].flatMap((schema) => propertiesOf(schema, path)),
  ];
}

const descriptions = [
  ...documented.map(({ operationId, description }) => ({ path: operationId, description })),
  ...parameters.map(({ path, description }) => ({ path, description })),
  ...properties.map(({ path, schema }) => ({ path, description: schema.description })),
];

it('describes every operation, parameter and property', () => {
  expect(properties.length).toBeGreaterThan(600);
  expect(descriptions.filter(({ description }) => !description).map(({ path }) => path)).toEqual([]);
});

it('describes them in sentences for readers who do not see the code', () => {
  const isSentence = (text: string) => /^[^a-z].*[.:)]$/.test(text);
  const namesCode = (text: string) => /\w_(?:MAX|MIN|DEFAULT)\b|\bassert[A-Z]|\bparse[A-Z]|@/.test(text.replaceAll('a@example.com', ''));
  expect(descriptions.filter(({ description = '' }) => !isSentence(description) || namesCode(description))).toEqual([]);
});

it('has an example of every body that its operation accepts', () => {
  const wrong = bodies.flatMap(({ operationId, example }) => {
    const operation = operations.find(({ pattern }) => pattern === operationId)!;
    const { path, query, bodyField } = requestParts(operation);
    const inTarget = documented
      .find((one) => one.operationId === operationId)!
      .parameters.filter(({ name }) => path.includes(name) || query.includes(name));
    const request = {
      ...Object.fromEntries(inTarget.map(({ name, example: value }) => [name, value])),
      ...(bodyField === undefined ? (example as object | undefined) : { [bodyField]: example }),
    };
    if (example === undefined) return [`${operationId} has no example`];
    try {
      validatorOf(operation.request, { bodyField })(request);
      return [];
    } catch (error) {
      return [`${operationId}: ${String(error)}`];
    }
  });
  expect(bodies.length).toBeGreaterThan(60);
  expect(wrong).toEqual([]);
});

/** Whether the schema itself shows what the values are: of objects, references, booleans, and of a single value. */
function showsItself({ $ref, type, enum: values = [], anyOf }: Schema): boolean {
  if (anyOf) return anyOf.every(showsItself);
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  const isSelfEvident = types.every((one) => one === 'object' || one === 'boolean') && (types.length > 0 || type === 'null');
  return $ref !== undefined || isSelfEvident || values.filter((value) => value !== null).length === 1;
}

it('has an example of every parameter and property whose schema does not show it', () => {
  const missing = [
    ...parameters.filter(({ schema, example }) => example === undefined && !showsItself(schema)),
    ...properties.filter(({ schema }) => schema.examples === undefined && !showsItself(schema)),
  ];
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it('has only examples that their schemas allow', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  ajv.addSchema(document, 'openapi');
  const given = [
    ...properties.map(({ path, schema }) => ({ path, schema, example: schema.examples?.[0] })),
    ...parameters.map(({ path, schema, example }) => ({ path, schema, example })),
    ...bodies.map(({ operationId, schema, example }) => ({ path: operationId, schema, example })),
  ].filter(({ example }) => example !== undefined);
  const wrong = given.filter(({ schema, example }) => {
    const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
    return !ajv.validate(whole, example);
  });
  expect(given.length).toBeGreaterThan(400);
  expect(wrong.map(({ path, example }) => ({ path, example }))).toEqual([]);
});

it('requires every body without which the request is refused', () => {
  const optional = documented.filter(({ requestBody }) => requestBody?.required === false).map(({ operationId }) => operationId);
  expect(optional.sort()).toEqual([
    'audience.audiences.put',
    'audience.subscriptions.put',
    'content.notifications.publish',
    'content.tenant-templates.publish',
    'gateway.console-keys.rotate',
    'identity.accounts.setUser',
    'identity.preference-sections.publish',
    'identity.recipient-preferences.replace',
    'identity.user-tenants.add',
    'identity.user-tokens.put-many',
    'messaging.providers.change',
    'messaging.suppressions.replace',
    'messaging.webhooks.change',
  ]);
});

it('names the server that serves the document', () => {
  expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
});
