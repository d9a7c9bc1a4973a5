import type { ServiceName } from '@tidings/contracts/core/operation';

/** Kinds of processes; those from `migrate` on run once and end. */
export type ProcessName = ServiceName | 'standalone' | 'migrate' | 'kafka-access' | 'check' | 'replay';

/** The processes that serve. */
export const ALL: readonly ProcessName[] = ['standalone', 'gateway', 'identity', 'audience', 'messaging', 'content'];
/** The services, each with a schema of its own. */
export const OWNERS: readonly ProcessName[] = ['identity', 'audience', 'messaging', 'content'];
/** The processes that work over Kafka. */
export const DISTRIBUTED: readonly ProcessName[] = ['gateway', ...OWNERS];
/** They do not start without Kafka; commands can do without where the log is in PostgreSQL. */
export const KAFKA_PROCESSES: readonly ProcessName[] = [...DISTRIBUTED, 'kafka-access'];
/** The processes that connect to Kafka. */
export const KAFKA_CLIENTS: readonly ProcessName[] = [...KAFKA_PROCESSES, 'check', 'replay'];

/** A variable of the environment: its meaning, its readers, its valid values. */
export interface Variable<Value = unknown> {
  /** Converts the text; throws an error whose message completes "NAME=text …". */
  parse(text: string): Value;
  description: string;
  /** Processes that use it. Every process validates it. */
  readBy: readonly ProcessName[];
  /** Text used when the variable is absent. */
  default?: string;
  /** Effect of an absent variable, where no default text exists. */
  absent?: string;
  /** These processes do not start without it. */
  requiredBy?: readonly ProcessName[];
  /** With `NODE_ENV=production`, as in the image, these do not either. */
  requiredInProductionBy?: readonly ProcessName[];
  /** The value is never shown. */
  secret?: boolean;
  /** Variables that must be set with it. */
  needs?: readonly string[];
}
