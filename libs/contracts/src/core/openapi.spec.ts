import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { notServed } from '../not-served';
import { operations } from '../registry';
import { IsExpiryDate } from '../identity/expiry-date';
import { SchemaComponents, schemaOf } from './json-schema';
import { openApiDocument } from './openapi';
import { defineOperation, Nothing } from './operation';

class Step {
  @IsIn(['add', 'remove'])
  op!: string;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Step)
  steps?: Step[];
}

class Everything {
  @IsString()
  @Length(1, 512)
  id!: string;

  @IsOptional()
  @Matches(/^[a-z]+$/)
  name?: string;

  @IsEmail()
  email!: string;

  @IsUUID()
  uuid!: string;

  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @IsOptional()
  @IsBoolean()
  archived?: boolean;

  @IsArray()
  @ArrayMaxSize(9)
  @IsString({ each: true })
  @MaxLength(30, { each: true })
  tags!: string[];

  @IsObject()
  profile!: Record<string, unknown>;

  @ValidateNested()
  @Type(() => Step)
  step!: Step;

  @IsOptional()
  anything?: unknown;
}

const replace = defineOperation({
  pattern: 'audience.things.replace',
  route: 'PUT /things/:id/*name',
  scope: 'write:things',
  summary: 'Replace a thing',
  request: Everything,
  response: Nothing,
  status: 204,
  query: ['limit'],
});
const info = { title: 'Tidings', version: '0' };

interface Document {
  paths: Record<string, Record<string, Record<string, unknown> & { responses: object }>>;
  components: Record<'schemas' | 'responses' | 'headers', Record<string, unknown>>;
}
const documentOf = (...parameters: Parameters<typeof openApiDocument>): Document => openApiDocument(...parameters) as unknown as Document;

it('derives the schema of a class from its decorators', () => {
  const components = new SchemaComponents();

  expect(schemaOf(Everything, components)).toEqual({
    type: 'object',
    required: ['id', 'email', 'uuid', 'tags', 'profile'],
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 512 },
      name: { type: ['string', 'null'], pattern: '^[a-z]+$' },
      email: { type: 'string', format: 'email' },
      uuid: { type: 'string', format: 'uuid' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      archived: { type: ['boolean', 'null'] },
      tags: { type: 'array', maxItems: 9, items: { type: 'string', maxLength: 30 } },
      profile: { type: 'object', additionalProperties: true },
      step: { $ref: '#/components/schemas/Step' },
      anything: {},
    },
  });
  expect(components.schemas).toEqual({
    Step: {
      type: 'object',
      required: ['op'],
      properties: {
        op: { type: 'string', enum: ['add', 'remove'] },
        steps: { type: ['array', 'null'], items: { $ref: '#/components/schemas/Step' } },
      },
    },
  });
});

class Optional {
  @IsOptional()
  @IsIn(['email', 'push'])
  channel?: string | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => Step)
  step?: Step | null;

  @IsOptional()
  @IsExpiryDate
  expiry_date?: string | false | null;
}

it('allows null for optional values, except in a query', () => {
  const components = new SchemaComponents();

  expect(schemaOf(Optional, components)).toEqual({
    type: 'object',
    properties: {
      channel: { type: ['string', 'null'], enum: ['email', 'push', null] },
      step: { anyOf: [{ $ref: '#/components/schemas/Step' }, { type: 'null' }] },
      expiry_date: {
        anyOf: [{ type: 'string', format: 'date-time' }, { type: 'string', format: 'date' }, { const: false }, { type: 'null' }],
      },
    },
  });
  const list = defineOperation({
    pattern: 'audience.things.list',
    route: 'GET /things',
    scope: 'read:things',
    summary: 'List things',
    request: Optional,
    response: Nothing,
  });
  const { parameters } = documentOf([list], [], info).paths['/things']!.get! as unknown as { parameters: unknown[] };
  expect(parameters[0]).toEqual({ name: 'channel', in: 'query', required: false, schema: { type: 'string', enum: ['email', 'push'] } });
});

it('refuses two classes of one name', () => {
  const components = new SchemaComponents();
  const other = { Step: class Step {} }.Step;
  components.refTo(Step);
  expect(() => components.refTo(other)).toThrow('Two classes are named Step');
});

it('describes the path, query and body of an operation separately', () => {
  const operation = documentOf([replace], [], info).paths['/things/{id}/{name}']!.put!;

  expect(operation).toMatchObject({
    operationId: 'audience.things.replace',
    tags: ['things'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1, maxLength: 512 } },
      { name: 'name', in: 'path', required: true },
      { name: 'limit', in: 'query', required: false },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { required: ['email', 'uuid', 'tags', 'profile'] } } } },
    responses: {
      204: { description: 'Success', headers: { 'x-tidings-warning': { $ref: '#/components/headers/Warning' } } },
      400: { $ref: '#/components/responses/invalid_request' },
      404: {},
      413: {},
      503: {},
    },
  });
});

it('documents 501 for operations served in part', () => {
  const statuses = (more: { servedInPart?: boolean }) =>
    Object.keys(documentOf([{ ...replace, ...more }], [], info).paths['/things/{id}/{name}']!.put!.responses);

  expect(statuses({})).not.toContain('501');
  expect(statuses({ servedInPart: true })).toContain('501');
});

it('documents the body of a conflict that differs from the common error', () => {
  const responses = (conflictAnswer: typeof replace.request | undefined) =>
    documentOf([{ ...replace, mayConflict: true, conflictAnswer }], [], info).paths['/things/{id}/{name}']!.put!.responses as Record<
      string,
      object
    >;

  expect(responses(undefined)).toMatchObject({ 409: { $ref: '#/components/responses/conflict' } });
  const { schema } = (responses(replace.request)[409] as { content: Record<string, { schema: object }> }).content['application/json']!;
  expect(schema).toEqual({ anyOf: [{ $ref: expect.any(String) as string }, { $ref: '#/components/schemas/Error' }] });
});

it('documents both statuses of an operation with two forms of a request', () => {
  const answering = { ...replace, statusHaving: { field: 'step', status: 200 } };
  const { responses } = documentOf([answering], [], info).paths['/things/{id}/{name}']!.put!;

  expect(responses).toMatchObject({ 200: { description: 'Success' }, 204: { description: 'Success' } });
});

it('documents the idempotency headers for POST routes of clients only', () => {
  const headersOf = (route: 'POST /things' | 'PUT /things', scope: 'write:things' | 'internal') => {
    const operation = defineOperation({ pattern: 'audience.things.make', route, scope, summary: 'x', request: Nothing, response: Nothing });
    const { parameters, responses } = Object.values(documentOf([operation], [], info).paths['/things']!)[0]!;
    const names = (parameters as { in: string; name: string }[]).filter((parameter) => parameter.in === 'header').map(({ name }) => name);
    return [...names, ...Object.keys(responses).filter((status) => status === '409')];
  };

  expect(headersOf('POST /things', 'write:things')).toEqual(['Idempotency-Key', 'x-idempotency-expiration', '409']);
  expect(headersOf('PUT /things', 'write:things')).toEqual([]);
  expect(headersOf('POST /things', 'internal')).toEqual([]);
});

it('marks unserved routes, with the parameter names already in use', () => {
  const { paths } = documentOf([replace], [{ method: 'GET', path: '/things/:thing_id/:part', summary: 'Get a thing' }], info);

  expect(Object.keys(paths)).toEqual(['/things/{id}/{name}']);
  expect(paths['/things/{id}/{name}']!.get).toMatchObject({
    'x-not-served': true,
    summary: 'Get a thing (not served yet)',
    parameters: [{ name: 'id', in: 'path' }, { name: 'name' }],
    responses: { 501: { $ref: '#/components/responses/not_served' } },
  });
});

it('refuses a route that is defined twice', () => {
  expect(() => documentOf([replace, replace], [], info)).toThrow('PUT /things/:id/*name is defined twice');
});

it('documents every operation, without unresolved references', () => {
  const document = documentOf(operations, notServed, info);
  const text = JSON.stringify(document);

  const references = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind, name]) => `${kind}/${name}`));
  const defined = new Set([
    ...Object.keys(document.components.schemas).map((name) => `schemas/${name}`),
    ...Object.keys(document.components.responses).map((name) => `responses/${name}`),
    ...Object.keys(document.components.headers).map((name) => `headers/${name}`),
  ]);
  expect([...references].filter((reference) => !defined.has(reference))).toEqual([]);
  expect(document.components.schemas.Error).toMatchObject({ required: ['message', 'type'] });
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(operations.filter(({ route }) => route).length + notServed.length);
});
