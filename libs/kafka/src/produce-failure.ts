import { KafkaJSProtocolError } from 'kafkajs';

/** Error types with unknown outcome: the leader or a replica may have stored the records. */
const UNKNOWN_OUTCOME = /^(REQUEST_TIMED_OUT|NOT_ENOUGH_REPLICAS_AFTER_APPEND|NETWORK_EXCEPTION|UNKNOWN|KAFKA_STORAGE_ERROR)$/;
const TOO_LARGE = /^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE)$/;
const PERMANENT =
  /^(TOPIC_AUTHORIZATION_FAILED|CLUSTER_AUTHORIZATION_FAILED|SASL_AUTHENTICATION_FAILED|INVALID_TOPIC_EXCEPTION|INVALID_RECORD|POLICY_VIOLATION|UNSUPPORTED_.*)$/;
const NEVER_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|Connection timeout/;
const NO_METADATA = /^KafkaJS(MetadataNotLoaded|TopicMetadataNotLoaded|BrokerNotFound)$/;

/** What a failed kafkajs produce means for its records, by the causes of its error. */
export function classifyProduceFailure(error: unknown) {
  const causes = causesOf(error);
  const type = causes.find((cause): cause is KafkaJSProtocolError => cause.name === 'KafkaJSProtocolError')?.type ?? '';
  return {
    /** Nothing was stored in the partition that failed. */
    refused: type !== '' && !UNKNOWN_OUTCOME.test(type),
    /** The produce failed before any record was sent. */
    neverSent: causes.some(({ name }) => NO_METADATA.test(name)),
    /** The leader of some partition could not be reached; leaders of others may have stored their records. */
    unreachable: causes.some(({ message, code }) => NEVER_CONNECTED.test(`${String(code)} ${message}`)),
    /** A smaller batch may succeed. */
    tooLarge: TOO_LARGE.test(type),
    /** Retrying fails until an operator changes the configuration. */
    permanent: PERMANENT.test(type),
  };
}

type Cause = Error & { code?: unknown };

function causesOf(error: unknown) {
  const causes: Cause[] = [];
  for (let cause = error as Cause | undefined; cause && !causes.includes(cause); cause = cause.cause as Cause | undefined)
    causes.push(cause);
  return causes;
}
