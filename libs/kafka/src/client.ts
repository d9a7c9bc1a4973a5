import { Logger } from '@nestjs/common';
import { type Consumer, type ConsumerConfig, Kafka, type KafkaConfig, type logCreator, logLevel } from 'kafkajs';
import { AccessTokens } from './access-tokens';
import { oauthBearer } from './oauth-bearer';
import './patch-follower-reads';
import './patch-broker-changes';
import './patch-request-queue';
import type { KafkaSasl, KafkaSettings } from './settings';
import { socketFactory } from './sockets';

/** Time limit of a request, in ms: above what a broker under load needs, below a caller's deadline. */
export const REQUEST_TIMEOUT_MS = 5_000;
const CONNECTION_TIMEOUT_MS = 3_000;
/** kafkajs' own retries within one call bridge a change of leader; the caller's deadline is longer. */
const RETRY = { initialRetryTime: 50, maxRetryTime: 500, retries: 4 };

// kafkajs logs it once for users of its version 1.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** A kafkajs client of the cluster, not connected yet. `clientId` names this process in the brokers' logs and quotas. */
export function createKafkaClient(
  { brokers, tls, sasl, rack }: Pick<KafkaSettings, 'brokers' | 'tls' | 'sasl' | 'rack'>,
  clientId: string,
  requestTimeout = REQUEST_TIMEOUT_MS,
): Kafka {
  return new RackAwareKafka(
    {
      clientId,
      brokers: () => rotated(brokers),
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout,
      retry: RETRY,
      ssl: tls !== undefined,
      socketFactory: socketFactory(tls),
      sasl: sasl && toSasl(sasl),
      logLevel: logLevel.INFO,
      logCreator,
    },
    rack,
  );
}

/** Its consumers fetch from the replicas of a rack, if the brokers permit it. */
class RackAwareKafka extends Kafka {
  constructor(
    config: KafkaConfig,
    private readonly rackId?: string,
  ) {
    super(config);
  }

  override consumer(config: ConsumerConfig): Consumer {
    return super.consumer({ rackId: this.rackId, ...config });
  }
}

function toSasl(sasl: KafkaSasl): KafkaConfig['sasl'] {
  if (sasl.mechanism !== 'oauthbearer') return sasl as KafkaConfig['sasl'];
  return oauthBearer(AccessTokens.of(sasl));
}

/** kafkajs always starts with the first broker, and stays there when it connects but does not answer. */
function rotated(brokers: readonly string[]) {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

const logger = new Logger('Kafka');

/** kafkajs logs as errors what it retries itself, so they are logged at debug; lasting faults surface in the calls that fail. */
const logCreator: logCreator = () => {
  return ({ namespace, level, log: { message, groupId, error } }) => {
    const line = [namespace, message, groupId && `group ${String(groupId)}`, error && String(error)].filter(Boolean).join(' · ');
    if (level === logLevel.ERROR || level === logLevel.WARN) logger.debug(line);
    else logger.verbose(line);
  };
};
