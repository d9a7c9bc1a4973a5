import {
  CLOUD_EVENT_HEADERS,
  CLOUD_EVENTS_VERSION,
  cloudEventHeaders,
  cloudEventSource,
  JSON_CONTENT_TYPE,
  SEQUENCE_DIGITS,
  SIGNATURE_HEADER,
} from './cloud-events';
import { type Schema, type Schemas, valuesOf } from './documented-schema';
import type { EventDefinition } from './event';
import { type JsonSchema, SchemaComponents } from './json-schema';
import type { Dto } from './operation';

/** An event of any payload type, as the registry lists it. */
export interface DocumentedEvent extends Pick<
  EventDefinition<{ workspaceId: string }>,
  'topic' | 'summary' | 'from' | 'alsoFrom' | 'to' | 'compacted' | 'retentionMs' | 'isPersonal'
> {
  readonly key: readonly string[];
  readonly payload: Dto;
}

export interface AsyncApiInfo {
  readonly title: string;
  readonly version: string;
  /** Prefix of every topic name. Default: none. */
  readonly topicPrefix?: string;
}

const KAFKA_BINDING_VERSION = '0.5.0';
const EXAMPLE_ID = '6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11';
const EXAMPLE_TIME = Date.parse('2026-03-01T10:00:00.000Z');
const DESCRIPTION =
  'Events on Kafka topics: JSON payloads, CloudEvents 1.0 attributes as record headers (binary content mode). Records of one key are ' +
  'in order. Delivery is at least once: drop a record whose running number is not above the highest you have processed for its key, ' +
  'or whose id you have processed. ' +
  'Topics tagged `interface` are for every consumer; topics tagged `internal` connect the services and may change.';

/**
 * The AsyncAPI 3.0 document of events. The application is the product: it sends the events its services append and receives those they
 * consume. Deterministic. Throws if two events have one topic, or two payload classes one name.
 */
export function asyncApiDocument(events: readonly DocumentedEvent[], { title, version, topicPrefix = '' }: AsyncApiInfo): JsonSchema {
  const components = new SchemaComponents();
  const channels: Record<string, JsonSchema> = {};
  const operations: Record<string, JsonSchema> = {};
  for (const event of [...events].sort((one, other) => (one.topic < other.topic ? -1 : 1))) {
    if (channels[event.topic]) throw new Error(`Two events are on ${event.topic}`);
    const messages = messagesOf(event, components);
    channels[event.topic] = channelOf(event, messages, topicPrefix);
    Object.assign(operations, operationsOf(event, Object.keys(messages)));
  }
  components.add('CloudEventHeaders', headersSchema());
  const exampleOf = examplesOf(events, components.schemas);
  return {
    asyncapi: '3.0.0',
    info: { title, version, description: DESCRIPTION },
    defaultContentType: JSON_CONTENT_TYPE,
    channels: Object.fromEntries(Object.entries(channels).map(([topic, channel]) => [topic, withExamples(channel, exampleOf(topic))])),
    operations,
    components: { schemas: components.schemas },
  };
}

function channelOf(event: DocumentedEvent, messages: Record<string, JsonSchema>, topicPrefix: string) {
  const { topic, summary, to = [], compacted, retentionMs } = event;
  const cleanup = compacted ? (retentionMs === null ? ['compact'] : ['compact', 'delete']) : ['delete'];
  return {
    address: `${topicPrefix}${topic}`,
    summary,
    tags: [{ name: to.includes('consumers') ? 'interface' : 'internal' }],
    messages,
    bindings: {
      kafka: {
        topicConfiguration: { 'cleanup.policy': cleanup, 'retention.ms': retentionMs ?? -1 },
        bindingVersion: KAFKA_BINDING_VERSION,
      },
    },
  };
}

/** The messages of a topic: the payload, and on a compacted topic the tombstone. */
function messagesOf({ topic, summary, from, key, payload, compacted }: DocumentedEvent, components: SchemaComponents) {
  const message = (title: string, summary: string, schema: JsonSchema) => ({
    name: topic,
    title,
    summary,
    contentType: JSON_CONTENT_TYPE,
    headers: {
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/CloudEventHeaders' }],
      properties: {
        [CLOUD_EVENT_HEADERS.type]: { const: topic },
        ...(from && { [CLOUD_EVENT_HEADERS.source]: { const: cloudEventSource(from) } }),
      },
    },
    bindings: {
      kafka: {
        key: { type: 'string', description: `${key.join(', ')} of the payload, joined by ":"` },
        bindingVersion: KAFKA_BINDING_VERSION,
      },
    },
    payload: schema,
  });
  return {
    [payload.name]: message(payload.name, summary, components.refTo(payload)),
    ...(compacted && { Tombstone: message('Tombstone', 'The key was deleted; the record has no value', { type: 'null' }) }),
  };
}

/** Returns the function that makes examples of the messages on a topic: headers, and the required fields of the payload. */
function examplesOf(events: readonly DocumentedEvent[], schemas: Schemas) {
  const valueOf = valuesOf(schemas);
  return (topic: string) => {
    const { from = 'gateway' } = events.find((event) => event.topic === topic)!;
    const headers = cloudEventHeaders({ id: EXAMPLE_ID, type: topic, source: cloudEventSource(from), time: EXAMPLE_TIME });
    return (payload: Schema) => ({ headers, payload: valueOf(payload) });
  };
}

function withExamples(channel: JsonSchema, exampleOf: (payload: Schema) => object) {
  const messages = Object.entries(channel.messages as Record<string, JsonSchema>).map(([name, message]) => [
    name,
    { ...message, examples: [exampleOf(message.payload as Schema)] },
  ]);
  return { ...channel, messages: Object.fromEntries(messages) as JsonSchema };
}

function operationsOf({ topic, summary, from, alsoFrom = [], to = [] }: DocumentedEvent, messages: readonly string[]) {
  const operation = (action: 'send' | 'receive', service: string): [string, JsonSchema] => [
    `${service}.${action}.${topic}`,
    {
      action,
      summary,
      tags: [{ name: service }],
      channel: { $ref: `#/channels/${topic}` },
      messages: messages.map((name) => ({ $ref: `#/channels/${topic}/messages/${name}` })),
    },
  ];
  const services = to.filter((consumer) => consumer !== 'consumers');
  const senders = from ? [from, ...alsoFrom] : [];
  return Object.fromEntries([
    ...senders.map((service) => operation('send', service)),
    ...services.map((service) => operation('receive', service)),
  ]);
}

function headersSchema() {
  const { specversion, id, type, source, time, sequence, datacontenttype } = CLOUD_EVENT_HEADERS;
  return {
    type: 'object',
    description: 'CloudEvents attributes and a signature as record headers, each a text in UTF-8.',
    required: [specversion, id, type, source, time, datacontenttype],
    properties: {
      [specversion]: { const: CLOUD_EVENTS_VERSION },
      [id]: { type: 'string', description: 'Stable: the same event written twice has the same id.' },
      [type]: { type: 'string', description: 'The topic without its prefix.' },
      [source]: { type: 'string', format: 'uri-reference', description: 'The process that wrote the record.' },
      [time]: { type: 'string', format: 'date-time', description: 'When the producer appended the record, by its clock.' },
      [sequence]: {
        type: 'string',
        pattern: `^\\d{${SEQUENCE_DIGITS}}$`,
        description: 'Running number of the key, if the event has one: the greater text is the later event.',
      },
      [datacontenttype]: { const: JSON_CONTENT_TYPE },
      [SIGNATURE_HEADER]: {
        type: 'string',
        description: 'HMAC by which our processes check who wrote the record: the id of its key, a dot, the MAC.',
      },
    },
  };
}
