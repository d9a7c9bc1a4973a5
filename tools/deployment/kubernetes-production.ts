import { type KubernetesObject, type Labels, type Workload, isOurs, nameOf, workloadsOf } from './kubernetes';
import { isReachable, type Peer, selects } from './network-reach';
import { JOBS, type Role, ROLES } from './process-environment';

/** Connections of a pod beside its pool at most (database-connections.spec.ts). */
const OWN_CONNECTIONS = 3;
/** Of PostgreSQL's connections, those for its operator, `migrate`, a rolling update and a person. */
const RESERVED_CONNECTIONS = 60;

const KAFKA: Peer = { labels: { 'strimzi.io/cluster': 'tidings' } };
const POSTGRES: Peer = { labels: { 'cnpg.io/cluster': 'tidings-postgres' } };
const MONITORING: Peer = { namespace: 'monitoring' };
const DNS: Peer = { namespace: 'kube-system' };
const STRANGER: Peer = { labels: { app: 'another' } };
const PROVIDER: Peer = { address: '93.184.216.34' };
const PRIVATE: Peer = { address: '10.1.2.3' };

/** A peer and a port that a role must reach, or must not. */
type Need = readonly [what: string, peer: Peer, port: number, roles: readonly Role[]];

const SERVICES = ROLES.filter((role) => role !== 'gateway' && !JOBS.includes(role));

/** Who reaches what; no other role does. */
const OUTWARD: readonly Need[] = [
  ['DNS', DNS, 53, ROLES],
  ['Kafka', KAFKA, 9093, ROLES.filter((role) => role !== 'migrate')],
  ['PostgreSQL', POSTGRES, 5432, [...SERVICES, 'migrate']],
  ['a vendor by HTTPS', PROVIDER, 443, ['messaging', 'gateway']],
  ['a mail server', PROVIDER, 587, ['messaging']],
  ['a private network', PRIVATE, 443, []],
  ['another pod', STRANGER, 8080, []],
];
const INWARD: readonly Need[] = [
  ['the monitoring', MONITORING, 8081, ROLES],
  ['another pod', STRANGER, 8080, ['gateway']],
  ['another pod', STRANGER, 8081, []],
  ['a mail server', STRANGER, 2525, ['messaging']],
];

interface Scaler {
  scaleTargetRef: { name: string };
  maxReplicas?: number;
  maxReplicaCount?: number;
}

/** Mistakes in an overlay for production that no schema detects; one sentence each. */
export function problemsOfProduction(objects: readonly KubernetesObject[]): string[] {
  const ours = workloadsOf(objects).filter(isOurs);
  const apps = ours.filter(({ owner }) => owner.kind === 'Deployment');
  return [
    ...apps.flatMap((app) => [...disruptionProblems(app, objects), ...scalingProblems(app, objects), ...spreadProblems(app)]),
    ...ours.flatMap((workload) => networkProblems(workload, objects)),
    ...metricsProblems(objects),
    ...connectionProblems(objects),
  ];
}

function disruptionProblems({ owner, labels }: Workload, objects: readonly KubernetesObject[]): string[] {
  const budgets = objects.filter(({ kind, spec }) => kind === 'PodDisruptionBudget' && selects(spec!.selector!, labels));
  return budgets.length === 1 ? [] : [`${nameOf(owner)} has ${budgets.length} PodDisruptionBudgets`];
}

/** The autoscalers of a Deployment, HorizontalPodAutoscaler or ScaledObject. */
function scalersOf(name: string, objects: readonly KubernetesObject[]): Scaler[] {
  return objects
    .filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
    .map(({ spec }) => spec as unknown as Scaler)
    .filter(({ scaleTargetRef }) => scaleTargetRef.name === name);
}

function scalingProblems({ owner }: Workload, objects: readonly KubernetesObject[]): string[] {
  const scalers = scalersOf(owner.metadata.name, objects);
  return [
    // Two autoscalers work against each other.
    ...(scalers.length === 1 ? [] : [`${nameOf(owner)} has ${scalers.length} autoscalers`]),
    ...(owner.spec?.replicas === undefined ? [] : [`${nameOf(owner)} takes the number of its pods from its autoscaler at each apply`]),
  ];
}

function spreadProblems({ owner, pod }: Workload): string[] {
  const keys = (pod.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey);
  return keys.includes('topology.kubernetes.io/zone') ? [] : [`${nameOf(owner)} may have all its pods in one zone`];
}

function networkProblems({ owner, labels, container }: Workload, objects: readonly KubernetesObject[]): string[] {
  const role = container.args?.[0] as Role;
  const wrong = (needs: readonly Need[], direction: 'Ingress' | 'Egress', verb: string) =>
    needs.flatMap(([what, peer, port, roles]) => {
      const reached = isReachable(objects, direction, labels, peer, port);
      return reached === roles.includes(role) ? [] : [`${nameOf(owner)} ${reached ? verb : `not ${verb}`} ${what} on port ${port}`];
    });
  return [...wrong(OUTWARD, 'Egress', 'reaches'), ...wrong(INWARD, 'Ingress', 'reached by')];
}

/** Alerts and dashboards must be there, and a ServiceMonitor that selects one Service, with a port of the name. */
function metricsProblems(objects: readonly KubernetesObject[]): string[] {
  const monitors = objects.filter(({ kind }) => kind === 'ServiceMonitor');
  const absent = [
    ...(monitors.length > 0 ? [] : ['No ServiceMonitor reads metrics']),
    ...(objects.some(({ kind }) => kind === 'PrometheusRule') ? [] : ['No PrometheusRule raises alerts']),
    ...(objects.some(({ metadata }) => metadata.labels?.grafana_dashboard) ? [] : ['No ConfigMap has dashboards']),
  ];
  const wrong = monitors.flatMap((monitor) => {
    const { selector, endpoints } = monitor.spec as unknown as { selector: { matchLabels: Labels }; endpoints: { port: string }[] };
    const services = objects.filter(({ kind, metadata }) => kind === 'Service' && selects(selector, metadata.labels ?? {}));
    const ports = services.flatMap(({ spec }) => (spec?.ports ?? []).map(({ name }) => name));
    return services.length === 1 && endpoints.every(({ port }) => ports.includes(port))
      ? []
      : [`${nameOf(monitor)} does not select one Service with its ports`];
  });
  return [...absent, ...wrong];
}

/** All pods together must not need more connections than a PostgreSQL that the overlay runs has. */
function connectionProblems(objects: readonly KubernetesObject[]): string[] {
  const needed = workloadsOf(objects)
    .filter(isOurs)
    .reduce((sum, workload) => sum + connectionsOf(workload, objects), RESERVED_CONNECTIONS);
  return objects
    .filter(({ kind, apiVersion }) => kind === 'Cluster' && apiVersion.startsWith('postgresql.cnpg.io/'))
    .flatMap((cluster) => {
      const { postgresql } = cluster.spec as unknown as { postgresql: { parameters: { max_connections: string } } };
      const most = Number(postgresql.parameters.max_connections);
      return most >= needed ? [] : [`${nameOf(cluster)} has ${most} connections, and all pods need ${needed}`];
    });
}

function connectionsOf({ owner, container }: Workload, objects: readonly KubernetesObject[]): number {
  const pool = container.env?.find(({ name }) => name === 'DATABASE_POOL_SIZE')?.value;
  if (pool === undefined) return 0;
  const [scaler] = scalersOf(owner.metadata.name, objects);
  return (scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? owner.spec?.replicas ?? 0) * (Number(pool) + OWN_CONNECTIONS);
}
