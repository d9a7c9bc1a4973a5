import {
  CLOUD_EVENT_HEADERS,
  CLOUD_EVENTS_VERSION,
  cloudEventSource,
  JSON_CONTENT_TYPE,
  SEQUENCE_DIGITS,
  SIGNATURE_HEADER,
} from './cloud-events';
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
  return {
    asyncapi: '3.0.0',
    info: { title, version, description: DESCRIPTION },
    defaultContentType: JSON_CONTENT_TYPE,
    channels,
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
