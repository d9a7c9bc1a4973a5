import { KafkaJSProtocolError } from 'kafkajs';

/** What happened to the records of a produce that failed. */
interface ProduceFailure {
  /** Surely nothing of the partition that failed was kept. */
  refused: boolean;
  /** It failed before a record was sent anywhere. */
  neverSent: boolean;
  /** The leader of some partition could not be reached; others may have been. */
  unreachable: boolean;
  /** A smaller batch may do. */
  tooLarge: boolean;
  /** Trying again will not help until somebody changes something. */
  lasting: boolean;
}

/** The leader's words for "perhaps": it, or a replica of it, may have the records. */
const PERHAPS = new Set(['REQUEST_TIMED_OUT', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'NETWORK_EXCEPTION', 'UNKNOWN', 'KAFKA_STORAGE_ERROR']);
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const LASTING =
  /^(TOPIC_AUTHORIZATION_FAILED|CLUSTER_AUTHORIZATION_FAILED|SASL_AUTHENTICATION_FAILED|INVALID_TOPIC_EXCEPTION|INVALID_RECORD|POLICY_VIOLATION|UNSUPPORTED_.*)$/;
const NEVER_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connection timeout/;
const NO_METADATA = new Set(['KafkaJSMetadataNotLoaded', 'KafkaJSTopicMetadataNotLoaded', 'KafkaJSBrokerNotFound']);

export function classifyProduceFailure(error: unknown): ProduceFailure {
  const causes = causesOf(error);
  const type = causes.find((cause): cause is KafkaJSProtocolError => cause.name === 'KafkaJSProtocolError')?.type ?? '';
  return {
    refused: type !== '' && !PERHAPS.has(type),
    neverSent: causes.some(({ name }) => NO_METADATA.has(name)),
    unreachable: causes.some(({ message, code }) => NEVER_CONNECTED.test(`${String(code)} ${message}`)),
    tooLarge: TOO_LARGE.has(type),
    lasting: LASTING.test(type),
  };
}

type Cause = Error & { code?: unknown };

function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let cause = error as Cause | undefined; cause && !causes.includes(cause); cause = cause.cause as Cause | undefined)
    causes.push(cause);
  return causes;
}
