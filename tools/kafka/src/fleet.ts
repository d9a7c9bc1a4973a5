import type { Broker } from './broker';
import type { ListenerSecurity } from './listener-security';

/** Entries of server.properties, the same for all brokers or by the number of a broker. */
export type BrokerProperties = Record<string, string> | ((id: number) => Record<string, string>);

/** The entries of one broker. */
export function propertiesOf(id: number, properties: BrokerProperties): Record<string, string> {
  return typeof properties === 'function' ? properties(id) : properties;
}

/** The brokers of one cluster and their shared resources. */
export interface Fleet {
  readonly brokers: Broker[];
  /** Writes each broker's settings and prepares its storage, for the cluster's first start. */
  prepare(security: ListenerSecurity, properties: BrokerProperties): Promise<void>;
  /** Kills the brokers and removes their resources outside the cluster's folder. */
  remove(): Promise<void>;
}

export interface FleetOptions {
  /** Receives a message before each slow step. */
  log?: (message: string) => void;
  environment?: NodeJS.ProcessEnv;
}
