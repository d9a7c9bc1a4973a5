import type { Broker } from './broker';
import type { ListenerSecurity } from './listener-security';

/** The brokers of one cluster and their shared resources. */
export interface Fleet {
  readonly brokers: Broker[];
  /** Writes each broker's settings and prepares its storage, for the cluster's first start. */
  prepare(security: ListenerSecurity, properties: Record<string, string>): Promise<void>;
  /** Kills the brokers and removes their resources outside the cluster's folder. */
  remove(): Promise<void>;
}

export interface FleetOptions {
  /** Receives a message before each slow step. */
  log?: (message: string) => void;
  environment?: NodeJS.ProcessEnv;
}
