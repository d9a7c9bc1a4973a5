import { type KubernetesObject, type Workload, isOurs, nameOf, workloadsOf } from './kubernetes';

/** Time limit of a process's stop (libs/runtime, shutdown); the gateway's preStop runs before. */
const STOP_SECONDS = 30;
const PRE_STOP_SECONDS = 5;

/** Mistakes that no schema detects and a cluster shows late; one sentence each. */
export function problemsOfObjects(objects: readonly KubernetesObject[]): string[] {
  const workloads = workloadsOf(objects);
  return [
    ...objects.flatMap((object) => (object.kind === 'Service' ? serviceProblems(object, workloads) : [])),
    ...workloads.flatMap((workload) => [...selectorProblems(workload), ...(isOurs(workload) ? processProblems(workload) : [])]),
  ];
}

function serviceProblems(service: KubernetesObject, workloads: readonly Workload[]): string[] {
  const selector = (service.spec?.selector ?? {}) as Record<string, string>;
  const selected = workloads.filter(({ labels }) => covers(labels, selector));
  if (selected.length === 0) return [`${nameOf(service)} selects no pod`];
  const names = selected.flatMap(({ container }) => (container.ports ?? []).map(({ name }) => name));
  return (service.spec?.ports ?? [])
    .filter(({ targetPort }) => typeof targetPort === 'string' && !names.includes(targetPort))
    .map(({ targetPort }) => `${nameOf(service)} leads to a port ${targetPort} that no pod has`);
}

function selectorProblems({ owner, labels }: Workload): string[] {
  const wanted = owner.spec?.selector?.matchLabels;
  return wanted && !covers(labels, wanted) ? [`${nameOf(owner)} does not select its own pods`] : [];
}

function processProblems({ owner, pod, container }: Workload): string[] {
  const problemIf = (wrong: boolean, problem: string): string[] => (wrong ? [`${nameOf(owner)} ${problem}`] : []);
  const { securityContext: rights, resources } = container;
  const always = [
    ...problemIf(pod.securityContext?.runAsNonRoot !== true || !pod.securityContext.runAsUser, 'may run as root'),
    ...problemIf(pod.automountServiceAccountToken !== false, 'carries a token of the cluster'),
    ...problemIf(pod.enableServiceLinks !== false, "gets the cluster's variables"),
    ...problemIf(rights?.readOnlyRootFilesystem !== true, 'may write its root filesystem'),
    ...problemIf(rights?.allowPrivilegeEscalation !== false, 'may gain privileges'),
    ...problemIf(rights?.capabilities?.drop?.includes('ALL') !== true, 'does not drop all capabilities'),
    ...problemIf(!resources?.requests?.cpu || !resources.requests.memory || !resources.limits?.memory, 'has no resources'),
  ];
  if (owner.kind !== 'Deployment') return always;

  const ports = (container.ports ?? []).map(({ name }) => name);
  const probes = { startupProbe: '/health/live', livenessProbe: '/health/live', readinessProbe: '/health/ready' } as const;
  return [
    ...always,
    ...(Object.keys(probes) as (keyof typeof probes)[]).flatMap((probe) => {
      const { path, port } = container[probe]?.httpGet ?? {};
      return problemIf(path !== probes[probe] || !ports.includes(port as string), `has no ${probe} of ${probes[probe]} on a port it has`);
    }),
    ...problemIf((pod.terminationGracePeriodSeconds ?? 0) <= STOP_SECONDS + PRE_STOP_SECONDS, 'is killed before it can have stopped'),
  ];
}

function covers(labels: Record<string, string>, selector: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
