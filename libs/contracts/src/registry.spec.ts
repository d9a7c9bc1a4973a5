import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { isRequired } from './core/json-schema';
import { routeShape } from './core/openapi';
import type { Dto } from './core/operation';
import { requestField, requestParts } from './core/request-parts';
import { shapeOf } from './core/shape';
import { validatorOf } from './core/validator';
import { events, operationGroups, operations } from './registry';

const load = createRequire(__filename);
const SERVICES = ['gateway', 'identity', 'audience', 'messaging', 'content'];
const routed = operations.filter(({ route }) => route);

describe('every operation', () => {
  it('has a unique pattern that begins with its service', () => {
    const patterns = operations.map(({ pattern }) => pattern);
    expect(patterns.filter((pattern, index) => patterns.indexOf(pattern) !== index)).toEqual([]);
    for (const { pattern, service } of operations) {
      expect(SERVICES).toContain(service);
      expect(pattern).toMatch(new RegExp(`^${service}\\.[a-z][\\w-]*\\.[a-z][\\w-]*$`));
    }
  });

  it('has a route and a scope for clients, or neither', () => {
    const wrong = operations.filter(({ route, scope }) => (route === undefined) !== (scope === 'internal'));
    expect(wrong.map(({ pattern }) => pattern)).toEqual([]);
  });

  it('refuses a request without a field that is not optional', () => {
    const notRequired = [...reachable(operations.map(({ request }) => request))].flatMap((dto) =>
      shapeOf(dto)
        .filter((field) => !field.optional && field.preset === undefined && !isRequired(field))
        .map(({ name }) => `${dto.name}.${name}`),
    );
    expect(notRequired).toEqual([]);
  });

  it('has classes that can be compiled', () => {
    const classes = [...operations.flatMap(({ request, response }) => [request, response]), ...events.map(({ payload }) => payload)];
    for (const dto of classes) expect(() => validatorOf(dto as Dto)).not.toThrow();
  });
});

describe('every route', () => {
  it('is registered once, whatever the names of its parameters', () => {
    const shapes = routed.map(({ method, path }) => routeShape(method!, path!));
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  it('has a source for every field of its request', () => {
    for (const operation of routed) expect(() => requestParts(operation)).not.toThrow();
  });

  it('refuses unknown fields of its body, unless it sends or plans a send, collects or stores a profile', () => {
    const reporting = routed.filter(({ unknownFields }) => unknownFields === 'reported').map(({ path }) => path!.split('/')[1]);
    expect([...new Set(reporting)].sort()).toEqual(['bulk', 'console', 'inbound', 'profiles', 'send']);
  });

  it('with a text answer declares the text in its response', () => {
    const texts = routed.filter(({ textAnswer }) => textAnswer !== undefined);
    expect(texts.length).toBeGreaterThan(0);
    for (const { response, textAnswer } of texts) expect(requestFieldsOf(response)).toContain(textAnswer);
  });

  it('declares path parameters as texts of bounded length', () => {
    const parameters = routed.flatMap((operation) => operation.pathParameters.map((name) => ({ operation, name })));
    expect(parameters.length).toBeGreaterThan(0);
    const unchecked = parameters.filter(({ operation, name }) => {
      const rules = requestField(operation, name)?.rules ?? [];
      const isText = rules.some(({ name: rule }) => rule === 'isString' || rule === 'isUuid' || rule === 'isIn'); // path parameters arrive as texts
      const isBounded = rules.some((rule) => !rule.accepts('x'.repeat(100_000), {}));
      const isRequired = rules.some((rule) => !rule.accepts(undefined, {}));
      return !isText || !isBounded || !isRequired;
    });
    expect(unchecked.map(({ operation, name }) => `${operation.pattern}: ${name}`)).toEqual([]);
  });
});

/**
 * What changes something and leaves no audit event: sends and what concerns one message have a history, choices of recipients a log, the rest
 * is no caller's change.
 */
const NOT_AUDITED = [
  'audience.audience-counts.count',
  'content.previews.render',
  'gateway.auth.issue-token',
  'gateway.dry-runs.simulate',
  'gateway.send.accept',
  'gateway.send.accept-for-lists',
  'identity.recipient-choices.opt-out',
  'identity.recipient-choices.save',
  'identity.sessions.add-code',
  'identity.user-tokens.report',
  'messaging.bulk.add',
  'messaging.erasure-traces.suppressions',
  'messaging.inbound.accept',
  'messaging.messages.cancel',
  'messaging.messages.resend',
  'messaging.unsubscribes.add',
];
/** Audited by `CallJournal` in transactions of their own. */
const NO_COMMANDS =
  /^content\.(notifications|notification-content|notification-blocks|tenant-templates)\.|^identity\.keys\.|^gateway\.console-(keys|sessions)\.|\.secrets\.|\.dead-letters\.|^messaging\.event-topics\.|^messaging\.providers\.test$|^messaging\.webhooks\.(create|rotateSecret|test)$/;

describe('every operation that changes something', () => {
  const changing = operations.filter(({ route, method, command }) => command || (route && method !== 'GET'));

  it('has an audit event', () => {
    const without = changing.filter(({ audit }) => audit === undefined).map(({ pattern }) => pattern);
    expect(without.sort()).toEqual(NOT_AUDITED);
  });

  it('names its target by fields of the request or of the answer', () => {
    const audited = operations.filter(({ audit }) => audit !== undefined && audit !== 'own');
    for (const { pattern, auditTarget, pathParameters, request, response } of audited) {
      const fields = auditTarget ?? pathParameters.slice(0, 1);
      expect([pattern, fields.length > 0]).toEqual([pattern, pattern !== 'messaging.senders.replace']); // the workspace's own
      for (const field of fields) expect([...requestFieldsOf(request), ...requestFieldsOf(response)]).toContain(field);
    }
  });

  it('is a command if it is audited, or uses the journal itself', () => {
    const others = operations.filter(({ audit, command }) => audit !== undefined && !command).map(({ pattern }) => pattern);
    expect(others.filter((pattern) => !NO_COMMANDS.test(pattern))).toEqual([]);
  });
});

describe('every event', () => {
  it('has a unique topic', () => {
    expect(new Set(events.map(({ topic }) => topic)).size).toBe(events.length);
  });

  it('has a key made of payload fields, the workspace first', () => {
    for (const { key, payload } of events) {
      expect(key[0]).toBe('workspaceId');
      const declared = requestFieldsOf(payload);
      for (const field of key) expect(declared).toContain(field);
    }
  });
});

it('registers every group of operations and every event that the files export', () => {
  const files = SERVICES.flatMap((service) => filesOf(path.join(__dirname, service)));
  const exported = files.flatMap((file) => Object.values(load(file) as Record<string, unknown>).filter(isObject));
  const groups = exported.filter(
    (value) => Object.values(value).length > 0 && Object.values(value).every((entry) => isObject(entry) && 'pattern' in entry),
  );
  const facts = exported.filter((value) => 'topic' in value && 'payload' in value);

  expect(new Set(operationGroups)).toEqual(new Set(groups));
  expect(new Set<unknown>(events)).toEqual(new Set(facts));
});

function reachable(classes: Iterable<Dto>, found = new Set<Dto>()): Set<Dto> {
  for (const dto of classes) {
    if (found.has(dto)) continue;
    found.add(dto);
    reachable(
      shapeOf(dto).flatMap(({ nested }) => nested ?? []),
      found,
    );
  }
  return found;
}

function requestFieldsOf(payload: (typeof events)[number]['payload']): string[] {
  return shapeOf(payload).map(({ name }) => name);
}

function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('.d.ts'))
      .map((file) => path.join(directory, file));
  } catch {
    return []; // a service without contracts yet
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
