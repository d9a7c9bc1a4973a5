import type { ClusterPlan } from './cluster-plan';
import { DockerFleet } from './docker-fleet';
import type { Fleet, FleetOptions } from './fleet';
import { JavaFleet } from './java-fleet';

/** The brokers of a plan, without changing them; Java or Docker is searched when a broker starts. */
export function openFleet(directory: string, plan: ClusterPlan, options: FleetOptions = {}): Fleet {
  return plan.engine === 'docker' ? new DockerFleet(directory, plan, options) : new JavaFleet(directory, plan, options);
}
