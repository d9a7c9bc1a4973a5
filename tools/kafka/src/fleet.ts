import type { Broker } from './broker';
import type { ListenerSecurity } from './listener-security';

/** The brokers of one cluster, with what they share. */
export interface Fleet {
  readonly brokers: Broker[];
  /** Writes each broker's settings and prepares its storage, for the cluster's first start. */
  prepare(security: ListenerSecurity, properties: Record<string, string>): Promise<void>;
  /** Kills the brokers and removes what they have outside the cluster's folder. */
  remove(): Promise<void>;
}

export interface FleetOptions {
  /** Told what takes long. */
  say?: (sentence: string) => void;
  environment?: NodeJS.ProcessEnv;
}
