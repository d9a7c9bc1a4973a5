/** SASL mechanisms that are supported. */
export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Address and credentials of a Kafka cluster, and the prefix of its topics. */
export interface KafkaSettings {
  /** Bootstrap brokers, `host:port`. */
  brokers: string[];
  /** Prefix of the name of every topic and group. */
  topicPrefix: string;
  /** Paths of PEM files. */
  tls?: { ca: string; certificate?: { cert: string; key: string } };
  /** How our records are signed: see `RecordSigner`. */
  signing: {
    /** The first signs, all verify. */
    secrets: readonly string[];
    /** Accepts records without a signature too. */
    acceptsUnsigned?: boolean;
  };
  sasl?: { mechanism: (typeof SASL_MECHANISMS)[number]; username: string; password: string };
}
