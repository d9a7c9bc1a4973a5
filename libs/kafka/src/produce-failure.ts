import { KafkaJSProtocolError } from 'kafkajs';

/** What a failed produce means for its records. */
interface ProduceFailure {
  /** Nothing was stored in the partition that failed. */
  refused: boolean;
  /** The produce failed before any record was sent. */
  neverSent: boolean;
  /** The leader of some partition could not be reached; leaders of others may have stored their records. */
  unreachable: boolean;
  /** A smaller batch may succeed. */
  tooLarge: boolean;
  /** Retrying fails until an operator changes the configuration. */
  permanent: boolean;
}

/** Error types with unknown outcome: the leader or a replica may have stored the records. */
const UNKNOWN_OUTCOME = new Set([
  'REQUEST_TIMED_OUT',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'NETWORK_EXCEPTION',
  'UNKNOWN',
  'KAFKA_STORAGE_ERROR',
]);
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const PERMANENT =
  /^(TOPIC_AUTHORIZATION_FAILED|CLUSTER_AUTHORIZATION_FAILED|SASL_AUTHENTICATION_FAILED|INVALID_TOPIC_EXCEPTION|INVALID_RECORD|POLICY_VIOLATION|UNSUPPORTED_.*)$/;
const NEVER_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connection timeout/;
const NO_METADATA = new Set(['KafkaJSMetadataNotLoaded', 'KafkaJSTopicMetadataNotLoaded', 'KafkaJSBrokerNotFound']);

/** Classifies the error of a kafkajs produce by its causes. */
export function classifyProduceFailure(error: unknown): ProduceFailure {
  const causes = causesOf(error);
  const type = causes.find((cause): cause is KafkaJSProtocolError => cause.name === 'KafkaJSProtocolError')?.type ?? '';
  return {
    refused: type !== '' && !UNKNOWN_OUTCOME.has(type),
    neverSent: causes.some(({ name }) => NO_METADATA.has(name)),
    unreachable: causes.some(({ message, code }) => NEVER_CONNECTED.test(`${String(code)} ${message}`)),
    tooLarge: TOO_LARGE.has(type),
    permanent: PERMANENT.test(type),
  };
}

type Cause = Error & { code?: unknown };

function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let cause = error as Cause | undefined; cause && !causes.includes(cause); cause = cause.cause as Cause | undefined)
    causes.push(cause);
  return causes;
}
