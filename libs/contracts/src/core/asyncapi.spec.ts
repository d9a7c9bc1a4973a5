import { schemas } from '@asyncapi/specs';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { IsInt, IsUUID } from 'class-validator';
import { events } from '../registry';
import { type AsyncApiInfo, asyncApiDocument, type DocumentedEvent } from './asyncapi';
import { cloudEventHeaders, cloudEventSource } from './cloud-events';
import { DAY_MS } from './duration';
import { defineEvent } from './event';

class Step {
  @IsUUID()
  workspaceId!: string;

  @IsInt()
  number!: number;
}

class Leap extends Step {}

const info = { title: 'Tidings events', version: '1.2.3' };
const stepAdded = defineEvent({
  topic: 'tidings.steps.v1',
  key: ['workspaceId', 'number'],
  payload: Step,
  summary: 'A step was added',
  from: 'messaging',
  to: ['consumers', 'audience'],
});
const latestLeap = defineEvent({
  topic: 'tidings.leaps.v1',
  key: ['workspaceId', 'number'],
  payload: Leap,
  summary: 'The state of a leap',
  from: 'content',
  to: ['messaging'],
  compacted: true,
  retentionMs: null,
});

interface Message {
  headers: object;
  payload: object;
  examples: { headers: object; payload: unknown }[];
}
interface Document {
  asyncapi: string;
  channels: Record<string, { address: string; tags: object[]; messages: Record<string, Message>; bindings: object }>;
  operations: Record<string, { action: string; channel: object; messages: object[] }>;
  components: { schemas: Record<string, object> };
}

/** The document as a client parses it. */
const documentOf = (some: readonly DocumentedEvent[], options: Partial<AsyncApiInfo> = {}): Document =>
  JSON.parse(JSON.stringify(asyncApiDocument(some, { ...info, ...options }))) as Document;

// The published schema brings its own copy of the meta schema, and formats and keywords beyond it.
const validate = addFormats(new Ajv({ meta: false, validateSchema: false, strict: false, allErrors: true })).compile(schemas['3.0.0']);

/** The violations of the published schema in a document, and its unresolvable references. */
function faultsOf(document: object): string[] {
  validate(document);
  return [
    ...(validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${instancePath} ${message}`),
    ...referencesIn(document).filter((reference) => resolve(document, reference) === undefined),
  ];
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === '$ref' ? [String(inner)] : referencesIn(inner)));
}

function resolve(document: object, reference: string): unknown {
  const segments = reference.replace(/^#\//, '').split('/');
  return segments.reduce<unknown>((value, segment) => (value as Record<string, unknown> | undefined)?.[segment], document);
}

/** Whether a value fits a schema of the document. */
function fits(document: Document, schema: object, value: unknown): boolean {
  const { components } = document;
  return addFormats(new Ajv({ strict: false })).validate({ ...schema, components }, value);
}

it('describes every event of the registry in a valid document', () => {
  const document = documentOf(events);

  expect(faultsOf(document)).toEqual([]);
  expect(document.asyncapi).toBe('3.0.0');
  expect(Object.keys(document.channels)).toEqual(events.map(({ topic }) => topic).sort());
});

it.each<[string, (document: Document) => void]>([
  ['an unknown action', ({ operations }) => (operations['messaging.send.tidings.steps.v1']!.action = 'sends')],
  ['an unknown cleanup policy', ({ channels }) => (channels['tidings.steps.v1']!.bindings = kafka({ 'cleanup.policy': ['compacts'] }))],
  ['a retention that is a text', ({ channels }) => (channels['tidings.steps.v1']!.bindings = kafka({ 'retention.ms': '14d' }))],
  ['an unknown type of a schema', ({ components }) => (components.schemas.Step = { type: 'objet' })],
  ['channels as a list', (document) => Object.assign(document, { channels: [] })],
  ['an operation on no channel', ({ channels }) => delete channels['tidings.steps.v1']],
  ['a payload without its schema', ({ components }) => delete components.schemas.Step],
])('detects %s', (_, spoil) => {
  const document = documentOf([stepAdded]);
  expect(faultsOf(document)).toEqual([]);

  spoil(document);

  expect(faultsOf(document)).not.toEqual([]);
});

it('names topics with their prefix, and their retention', () => {
  const forever = { ...latestLeap, topic: 'tidings.forever.v1' as const };
  const { channels } = documentOf([stepAdded, forever, { ...latestLeap, retentionMs: DAY_MS }], { topicPrefix: 'staging.' });

  expect(channels['tidings.steps.v1']).toMatchObject({ address: 'staging.tidings.steps.v1', tags: [{ name: 'interface' }] });
  expect(channels['tidings.forever.v1']).toMatchObject({ tags: [{ name: 'internal' }] });
  expect(Object.values(channels).map(({ bindings }) => bindings)).toMatchObject([
    kafka({ 'cleanup.policy': ['compact'], 'retention.ms': -1 }),
    kafka({ 'cleanup.policy': ['compact', 'delete'], 'retention.ms': DAY_MS }),
    kafka({ 'cleanup.policy': ['delete'], 'retention.ms': 14 * DAY_MS }),
  ]);
});

it('lists the service that appends and the services that consume, without outside consumers', () => {
  const { operations } = documentOf([stepAdded]);
  const on = { channel: { $ref: '#/channels/tidings.steps.v1' }, messages: [{ $ref: '#/channels/tidings.steps.v1/messages/Step' }] };

  expect(operations).toMatchObject({
    'messaging.send.tidings.steps.v1': { action: 'send', ...on },
    'audience.receive.tidings.steps.v1': { action: 'receive', ...on },
  });
  expect(Object.keys(operations)).toHaveLength(2);
});

it('accepts records as they are written, and refuses others', () => {
  const document = documentOf([stepAdded]);
  const { headers, payload } = document.channels['tidings.steps.v1']!.messages.Step!;
  const step = { workspaceId: '3a1b0c5e-7f0a-4c61-9d6e-5a0d3d1f9f10', number: 3 };
  const written = cloudEventHeaders({ id: 'e-1', type: stepAdded.topic, source: cloudEventSource('messaging'), time: 0, sequence: '3' });

  expect(fits(document, headers, written)).toBe(true);
  expect(fits(document, headers, { ...written, ce_id: undefined })).toBe(false);
  expect(fits(document, headers, { ...written, ce_type: 'tidings.other.v1' })).toBe(false);
  expect(fits(document, headers, { ...written, ce_sequence: '3' })).toBe(false);
  expect(fits(document, payload, step)).toBe(true);
  expect(fits(document, payload, { ...step, number: 'three' })).toBe(false);
});

it('has an example of every message of the registry, which its schemas accept', () => {
  const document = documentOf(events);
  for (const [topic, { messages }] of Object.entries(document.channels))
    for (const [name, { headers, payload, examples }] of Object.entries(messages)) {
      const [example] = examples;
      const isFit = example && [fits(document, headers, example.headers), fits(document, payload, example.payload)];
      expect([topic, name, isFit]).toEqual([topic, name, [true, true]]);
    }
});

it('lists tombstones on compacted topics only', () => {
  const { channels } = documentOf([stepAdded, latestLeap]);

  expect(Object.keys(channels['tidings.steps.v1']!.messages)).toEqual(['Step']);
  expect(channels['tidings.leaps.v1']!.messages).toMatchObject({ Leap: {}, Tombstone: { payload: { type: 'null' } } });
});

it('is the same text for the same events in any order', () => {
  const text = (some: readonly DocumentedEvent[]): string => JSON.stringify(asyncApiDocument(some, info));

  expect(text([latestLeap, stepAdded])).toBe(text([stepAdded, latestLeap]));
});

it('refuses two events on one topic', () => {
  expect(() => asyncApiDocument([stepAdded, { ...latestLeap, topic: stepAdded.topic }], info)).toThrow(
    'Two events are on tidings.steps.v1',
  );
});

it('has producer and consumers of every event in the registry', () => {
  expect(events.filter(({ from, to }) => !from || !to?.length).map(({ topic }) => topic)).toEqual([]);
});

function kafka(topicConfiguration: object): object {
  return { kafka: { topicConfiguration, bindingVersion: '0.5.0' } };
}
