import type { ClusterPlan } from './cluster-plan';
import { DockerFleet } from './docker-fleet';
import type { Fleet, FleetOptions } from './fleet';
import { JavaFleet } from './java-fleet';

/** The brokers of a plan, as they are; what they need is looked for when one is started. */
export function openFleet(directory: string, plan: ClusterPlan, options: FleetOptions = {}): Fleet {
  return plan.engine === 'docker' ? new DockerFleet(directory, plan, options) : new JavaFleet(directory, plan, options);
}
