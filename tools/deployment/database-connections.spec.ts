import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readObjects, workloadsOf } from './kubernetes';
import { root } from './repository';

/** Limit of a PostgreSQL with default settings, and those of them that only superusers get. */
const SERVER_CONNECTIONS = 100;
const RESERVED_CONNECTIONS = 3;
/** Of `tidings migrate`, while the services run. */
const MIGRATE_CONNECTIONS = 2;
/** A process that a rollout adds to each Deployment (k8s/base/process.yaml). */
const SURGE = 1;

/** Connections of a process beside its pool: its probe, and one for each outbox relay; messaging has two. */
const OWN_CONNECTIONS = { identity: 2, audience: 2, content: 2, messaging: 3 };

describe('the base of k8s', () => {
  const read = (file: string): string => readFileSync(path.join(root, 'k8s/base', file), 'utf8');

  it('fits into the connections of a PostgreSQL with default settings, in the middle of a rollout of every service', () => {
    const counts = Object.entries(OWN_CONNECTIONS).map(([service, own]) => {
      const [workload] = workloadsOf(readObjects(read(`${service}.yaml`)));
      const pool = workload!.container.env?.find(({ name }) => name === 'DATABASE_POOL_SIZE')?.value;
      const replicas = workload!.owner.spec?.replicas;
      return (replicas! + SURGE) * (Number(pool) + own);
    });

    expect(read('process.yaml')).toContain(`maxSurge: ${SURGE}, maxUnavailable: 0`);
    const sum = counts.reduce((total, count) => total + count, MIGRATE_CONNECTIONS);
    expect(sum).toBeGreaterThan(0); // no number is missing
    expect(sum).toBeLessThanOrEqual(SERVER_CONNECTIONS - RESERVED_CONNECTIONS);
  });

  it('leaves migrations to the job', () => {
    for (const service of Object.keys(OWN_CONNECTIONS)) {
      const [workload] = workloadsOf(readObjects(read(`${service}.yaml`)));
      expect(workload!.container.env).toContainEqual({ name: 'TIDINGS_MIGRATE', value: 'never' });
    }
  });
});
