/** SASL mechanisms that are supported. */
export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** How a Kafka cluster is reached, and what its topics are called. */
export interface KafkaSettings {
  /** Brokers to begin with, `host:port`. */
  brokers: string[];
  /** Stands before the name of every topic and group. */
  topicPrefix: string;
  /** Paths of PEM files. */
  tls?: { ca: string; certificate?: { cert: string; key: string } };
  sasl?: { mechanism: (typeof SASL_MECHANISMS)[number]; username: string; password: string };
}
