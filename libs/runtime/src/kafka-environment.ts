import { SASL_MECHANISMS } from '@tidings/kafka/settings';
import { OPTIONAL_TOPIC_SETTINGS, RECORD_BYTES_DEFAULT, TOPIC_CHECKS } from '@tidings/kafka/topic-settings';
import { brokers, listOf, oneOf, readableFile, rpcSecrets, text, topicPrefix } from './environment-values';
import { DISTRIBUTED, KAFKA_CLIENTS, KAFKA_PROCESSES, type Variable } from './environment-variable';
import { modulePath, recordBytes, replicas, replication, saslExtensions, tokenUrl } from './kafka-values';

/** The variables of Kafka, and of the secret of the processes that meet there: a part of `ENVIRONMENT`. */
export const KAFKA_ENVIRONMENT = {
  KAFKA_BROKERS: {
    parse: brokers,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    requiredBy: KAFKA_PROCESSES,
    description: 'Bootstrap brokers, `host:port`, separated by commas',
  },
  KAFKA_TLS_CA: {
    parse: readableFile,
    absent: 'no TLS',
    readBy: KAFKA_CLIENTS,
    description: 'PEM file with the CA certificates of the brokers. This file and the next two are read again for each connection',
  },
  KAFKA_TLS_CERT: {
    parse: readableFile,
    absent: 'no client certificate',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_TLS_CA', 'KAFKA_TLS_KEY'],
    description: 'PEM file with our certificate',
  },
  KAFKA_TLS_KEY: {
    parse: readableFile,
    absent: 'no client certificate',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_TLS_CERT'],
    description: 'PEM file with the key of our certificate',
  },
  KAFKA_SASL_MECHANISM: {
    parse: oneOf(SASL_MECHANISMS),
    absent: 'no SASL',
    readBy: KAFKA_CLIENTS,
    description: `${SASL_MECHANISMS.map((name) => `\`${name}\``).join(', ')}. All but \`oauthbearer\` need user and password`,
  },
  KAFKA_SASL_USERNAME: {
    parse: text,
    absent: 'no SASL',
    readBy: KAFKA_CLIENTS,
    needs: ['KAFKA_SASL_MECHANISM'],
    description: 'SASL user',
  },
  KAFKA_SASL_PASSWORD: {
    parse: text,
    absent: 'no SASL',
    readBy: KAFKA_CLIENTS,
    secret: true,
    needs: ['KAFKA_SASL_MECHANISM'],
    description: 'SASL password',
  },
  TIDINGS_KAFKA_OAUTH_TOKEN_URL: {
    parse: tokenUrl,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    needs: ['TIDINGS_KAFKA_OAUTH_CLIENT_ID', 'TIDINGS_KAFKA_OAUTH_CLIENT_SECRET'],
    description: 'For `oauthbearer`: the endpoint that exchanges the credentials of a client for access tokens',
  },
  TIDINGS_KAFKA_OAUTH_CLIENT_ID: {
    parse: text,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    needs: ['TIDINGS_KAFKA_OAUTH_TOKEN_URL'],
    description: 'Client of the token endpoint',
  },
  TIDINGS_KAFKA_OAUTH_CLIENT_SECRET: {
    parse: text,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    secret: true,
    needs: ['TIDINGS_KAFKA_OAUTH_TOKEN_URL'],
    description: "The client's secret, sent by HTTP basic authentication",
  },
  TIDINGS_KAFKA_OAUTH_SCOPE: {
    parse: text,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    needs: ['TIDINGS_KAFKA_OAUTH_TOKEN_URL'],
    description: 'Scope of the tokens',
  },
  TIDINGS_KAFKA_OAUTH_EXTENSIONS: {
    parse: saslExtensions,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    needs: ['TIDINGS_KAFKA_OAUTH_TOKEN_URL'],
    description: 'SASL extensions sent with each token: `logicalCluster=lkc-1,identityPoolId=pool-1`',
  },
  TIDINGS_KAFKA_OAUTH_MODULE: {
    parse: modulePath,
    absent: 'none',
    readBy: KAFKA_CLIENTS,
    description:
      'For `oauthbearer`, instead of a token endpoint: absolute path of a JavaScript module whose default export returns a token ([kafka.md](kafka.md#aws-iam-and-other-tokens))',
  },
  TIDINGS_KAFKA_RACK: {
    parse: text,
    absent: 'none: records are fetched from the leaders',
    readBy: DISTRIBUTED,
    description: "Where the process runs, as in the brokers' `broker.rack`: it fetches from replicas there",
  },
  KAFKA_TOPIC_PREFIX: {
    parse: topicPrefix,
    default: '',
    readBy: KAFKA_CLIENTS,
    description: 'Prefix of every topic name. Existing topics are checked, not created',
  },
  TIDINGS_KAFKA_REPLICATION: {
    parse: replication,
    absent: '3; for `npm run start:kafka` the number of `KAFKA_BROKERS`, at most 3, and 1 with its own broker',
    readBy: DISTRIBUTED,
    description:
      "Replicas of each topic's partitions: topics are created with so many, and refused with fewer. `broker`: the brokers' default",
  },
  TIDINGS_KAFKA_MIN_ISR: {
    parse: replicas,
    absent: "`TIDINGS_KAFKA_REPLICATION` less 1, at least 1; the brokers' default with `broker`",
    readBy: DISTRIBUTED,
    description:
      '`min.insync.replicas` of topics of events: so many replicas acknowledge each record. Lower in an existing topic is refused',
  },
  TIDINGS_KAFKA_TOPIC_CHECK: {
    parse: oneOf(TOPIC_CHECKS),
    default: 'refuse',
    readBy: DISTRIBUTED,
    description:
      '`refuse`: a process is not ready while a topic has fewer replicas than the two variables above say, or its settings cannot be read. `warn`: it logs a warning at its start',
  },
  TIDINGS_KAFKA_MAX_MESSAGE_BYTES: {
    parse: recordBytes,
    default: String(RECORD_BYTES_DEFAULT),
    readBy: DISTRIBUTED,
    description: '`max.message.bytes` of topics that are created, from 65536. Larger records are refused with 413',
  },
  TIDINGS_KAFKA_TOPIC_DEFAULTS: {
    parse: listOf(oneOf(OPTIONAL_TOPIC_SETTINGS)),
    absent: 'none',
    readBy: DISTRIBUTED,
    description: `Settings of created topics that are left to the brokers, for those that refuse them, separated by commas: ${OPTIONAL_TOPIC_SETTINGS.map((name) => `\`${name}\``).join(', ')}`,
  },
  TIDINGS_RPC_SECRET: {
    parse: rpcSecrets,
    absent: 'none',
    readBy: [...DISTRIBUTED, 'check'],
    requiredBy: DISTRIBUTED,
    secret: true,
    description:
      'Secret by which processes recognise each other over Kafka, at least 32 characters; several, separated by commas: the first signs, all verify',
  },
  TIDINGS_RPC_UNSIGNED: {
    parse: oneOf(['accept']),
    absent: 'records without a signature are refused',
    readBy: KAFKA_CLIENTS,
    description: '`accept`, during the upgrade from a version that did not sign: records without a signature are accepted too',
  },
} satisfies Record<string, Variable>;
