import { fieldNames, type Schema, type Schemas } from './schema';

interface Channel {
  readonly address: string;
  readonly summary: string;
  readonly tags: readonly { readonly name: string }[];
  readonly messages: Readonly<Record<string, Message>>;
  readonly bindings: { readonly kafka: { readonly topicConfiguration: { 'cleanup.policy': readonly string[]; 'retention.ms': number } } };
}

interface Message {
  readonly title: string;
  readonly summary: string;
  readonly headers: Schema;
  readonly payload: Schema;
  readonly bindings: { readonly kafka: { readonly key: { readonly description: string } } };
  readonly examples?: readonly { readonly headers: Readonly<Record<string, string>>; readonly payload: unknown }[];
}

/** An AsyncAPI document, as far as the reference reads it. */
export interface AsyncApiDocument {
  readonly info: { readonly description: string };
  readonly channels: Readonly<Record<string, Channel>>;
  readonly operations: Readonly<
    Record<string, { readonly action: 'send' | 'receive'; readonly tags: readonly { name: string }[]; readonly channel: { $ref: string } }>
  >;
  readonly components: { readonly schemas: Schemas };
}

/** A topic with the events on it. */
export interface Topic {
  /** Without the prefix of the installation, as addresses name it. */
  readonly name: string;
  readonly address: string;
  readonly summary: string;
  /** Whether it is for every consumer; others connect the services. */
  readonly isInterface: boolean;
  readonly cleanup: readonly string[];
  /** `undefined`: forever. */
  readonly retentionMs?: number;
  readonly senders: readonly string[];
  readonly receivers: readonly string[];
  readonly messages: readonly Message[];
  /** The names of all fields of its payloads. */
  readonly fields: ReadonlySet<string>;
}

/** The topics of the interface. */
export interface Topics {
  readonly description: string;
  readonly topics: readonly Topic[];
  readonly schemas: Schemas;
}

/** Reads an AsyncAPI document. */
export function readAsyncApi({ info, channels, operations, components: { schemas } }: AsyncApiDocument): Topics {
  const services = (topic: string, wanted: 'send' | 'receive') =>
    Object.values(operations)
      .filter(({ action, channel }) => action === wanted && channel.$ref === `#/channels/${topic}`)
      .flatMap(({ tags }) => tags.map(({ name }) => name));
  const topics = Object.entries(channels).map(([name, { address, summary, tags, messages, bindings }]): Topic => {
    const { 'cleanup.policy': cleanup, 'retention.ms': retention } = bindings.kafka.topicConfiguration;
    return {
      name,
      address,
      summary,
      isInterface: tags.some((tag) => tag.name === 'interface'),
      cleanup,
      retentionMs: retention < 0 ? undefined : retention,
      senders: services(name, 'send'),
      receivers: services(name, 'receive'),
      messages: Object.values(messages),
      fields: fieldNames(
        Object.values(messages).map(({ payload }) => payload),
        schemas,
      ),
    };
  });
  return { description: info.description, topics, schemas };
}
