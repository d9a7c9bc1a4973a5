import type { KafkaSasl, KafkaSettings, OauthClient } from '@tidings/kafka/settings';
import { REPLICATION_DEFAULT, topicSettings, type TopicSettings } from '@tidings/kafka/topic-settings';
import type { ProcessName, Values } from './environment-table';

/** How a process connects to Kafka; `undefined` without brokers. */
export function toKafka(processName: ProcessName, values: Values): KafkaSettings | undefined {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = values;
  if (!brokers) return undefined;
  return {
    brokers,
    topicPrefix: values.KAFKA_TOPIC_PREFIX!,
    topics: toTopics(values, processName === 'standalone' ? launchedReplication(brokers) : REPLICATION_DEFAULT),
    signing: toSigning(values),
    tls: ca === undefined ? undefined : { ca, certificate: cert && key ? { cert, key } : undefined },
    sasl: toSasl(values),
    rack: values.TIDINGS_KAFKA_RACK,
  };
}

/** How records are signed. */
export function toSigning({ TIDINGS_RPC_SECRET: secrets = [], TIDINGS_RPC_UNSIGNED: unsigned }: Values): KafkaSettings['signing'] {
  return { secrets, acceptsUnsigned: unsigned === 'accept' };
}

/** The replicas that the launcher of `npm run start:kafka` sets: one name is one broker there, or else the operator sets the number. */
export function launchedReplication(brokers: readonly string[]): number {
  return Math.min(REPLICATION_DEFAULT, brokers.length);
}

/** What contradicts itself in the variables of Kafka. */
export function kafkaProblems(values: Values): string[] {
  return [...replicationProblems(values), ...saslProblems(values)];
}

function replicationProblems(values: Values) {
  const { TIDINGS_KAFKA_REPLICATION: replication = REPLICATION_DEFAULT, TIDINGS_KAFKA_MIN_ISR: minIsr = 1 } = values;
  if (typeof replication === 'string' || minIsr <= replication) return [];
  return [`TIDINGS_KAFKA_MIN_ISR=${minIsr} is above TIDINGS_KAFKA_REPLICATION=${replication}: no record could be appended`];
}

function saslProblems(values: Values) {
  const { KAFKA_SASL_MECHANISM: mechanism, TIDINGS_KAFKA_OAUTH_MODULE: module, TIDINGS_KAFKA_OAUTH_TOKEN_URL: tokenUrl } = values;
  const isOauth = mechanism === 'oauthbearer';
  if (isOauth && !module && !tokenUrl)
    return ['KAFKA_SASL_MECHANISM=oauthbearer is set without TIDINGS_KAFKA_OAUTH_TOKEN_URL or TIDINGS_KAFKA_OAUTH_MODULE'];
  if (module && tokenUrl) return ['TIDINGS_KAFKA_OAUTH_TOKEN_URL and TIDINGS_KAFKA_OAUTH_MODULE are both set: set one of them'];
  if (!isOauth && (module ?? tokenUrl)) return ['TIDINGS_KAFKA_OAUTH_… is set without KAFKA_SASL_MECHANISM=oauthbearer'];
  if (isOauth || mechanism === undefined) return [];
  const missing = (['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const).filter((name) => values[name] === undefined);
  return missing.length > 0 ? [`KAFKA_SASL_MECHANISM is set without ${missing.join(' and ')}`] : [];
}

function toSasl(values: Values): KafkaSasl | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = values;
  if (mechanism === 'oauthbearer') return { mechanism, tokens: toTokens(values) };
  return mechanism && username && password ? { mechanism, username, password } : undefined;
}

/** `saslProblems` has found that they are complete. */
function toTokens(values: Values): OauthClient | { module: string } {
  if (values.TIDINGS_KAFKA_OAUTH_MODULE) return { module: values.TIDINGS_KAFKA_OAUTH_MODULE };
  return {
    tokenUrl: values.TIDINGS_KAFKA_OAUTH_TOKEN_URL!,
    clientId: values.TIDINGS_KAFKA_OAUTH_CLIENT_ID!,
    clientSecret: values.TIDINGS_KAFKA_OAUTH_CLIENT_SECRET!,
    scope: values.TIDINGS_KAFKA_OAUTH_SCOPE,
    extensions: values.TIDINGS_KAFKA_OAUTH_EXTENSIONS,
  };
}

function toTopics(values: Values, replicationDefault: number): TopicSettings {
  const { TIDINGS_KAFKA_REPLICATION: replication = replicationDefault, TIDINGS_KAFKA_MIN_ISR: minInsyncReplicas } = values;
  return topicSettings({
    replication: replication === 'broker' ? undefined : replication,
    ...(minInsyncReplicas !== undefined && { minInsyncReplicas }),
    check: values.TIDINGS_KAFKA_TOPIC_CHECK!,
    recordBytesMax: values.TIDINGS_KAFKA_MAX_MESSAGE_BYTES!,
    leftToBrokers: values.TIDINGS_KAFKA_TOPIC_DEFAULTS ?? [],
  });
}
