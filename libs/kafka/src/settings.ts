import type { TopicSettings } from './topic-settings';

/** SASL mechanisms with a user and a password. */
export const PASSWORD_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
/** SASL mechanisms that are supported. */
export const SASL_MECHANISMS = [...PASSWORD_MECHANISMS, 'oauthbearer'] as const;

/** Credentials of an OAuth client, which its authorization server exchanges for access tokens. */
export interface OauthClient {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string;
  /** SASL extensions that go with each token. */
  extensions?: Record<string, string>;
}

/** How a process proves to the brokers which principal it is. */
export type KafkaSasl =
  | { mechanism: (typeof PASSWORD_MECHANISMS)[number]; username: string; password: string }
  /** Access tokens of an authorization server, or of the module at this path. */
  | { mechanism: 'oauthbearer'; tokens: OauthClient | { module: string } };

/** Address and credentials of a Kafka cluster, and the prefix of its topics. */
export interface KafkaSettings {
  /** Bootstrap brokers, `host:port`. */
  brokers: string[];
  /** Prefix of the name of every topic and group. */
  topicPrefix: string;
  /** How topics are created and checked. */
  topics: TopicSettings;
  /** Paths of PEM files. They are read again for each connection. */
  tls?: { ca: string; certificate?: { cert: string; key: string } };
  /** How our records are signed: see `RecordSigner`. */
  signing: {
    /** The first signs, all verify. */
    secrets: readonly string[];
    /** Accepts records without a signature too. */
    acceptsUnsigned?: boolean;
  };
  sasl?: KafkaSasl;
  /** Where this process runs, as in the brokers' `broker.rack`: it fetches from replicas there, if the brokers permit it. */
  rack?: string;
}
