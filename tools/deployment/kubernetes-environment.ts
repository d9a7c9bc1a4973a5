import { type Container, type KubernetesObject, isOurs, nameOf, workloadsOf } from './kubernetes';
import { type Environment, ROLES, type Role } from './process-environment';

/** The environments of the containers with the image of Tidings, and their broken references. */
export function environmentsOfObjects(objects: readonly KubernetesObject[]): {
  environments: Partial<Record<Role, Environment>>;
  problems: string[];
} {
  const sources = new Sources(objects);
  const environments: Partial<Record<Role, Environment>> = {};
  for (const workload of workloadsOf(objects).filter(isOurs)) {
    const role = ROLES.find((one) => one === workload.container.args?.[0]);
    if (!role) sources.problems.push(`${nameOf(workload.owner)} runs no role of the image`);
    else environments[role] = sources.environmentOf(workload.container);
    for (const { secret } of workload.pod.volumes ?? []) if (secret) sources.dataOf('Secret', { ...secret, name: secret.secretName });
    for (const { name } of workload.container.volumeMounts ?? []) {
      if (!workload.pod.volumes?.some((volume) => volume.name === name))
        sources.problems.push(`${nameOf(workload.owner)} has no volume ${name}`);
    }
  }
  return { environments, problems: sources.problems };
}

/** The variables of a Kafka that an overlay runs, and the Secret with its users. */
export function brokerOfObjects(objects: readonly KubernetesObject[]): { environment: Environment; users: Environment } {
  const { container, pod } = workloadsOf(objects).find(({ owner }) => owner.metadata.name === 'kafka')!;
  const sources = new Sources(objects);
  const users = (pod.volumes ?? []).flatMap(({ secret }) => (secret ? [sources.dataOf('Secret', { name: secret.secretName })] : []));
  return { environment: sources.environmentOf(container), users: Object.assign({}, ...users) as Environment };
}

type Kind = 'Secret' | 'ConfigMap';

class Sources {
  readonly problems: string[] = [];

  constructor(private readonly objects: readonly KubernetesObject[]) {}

  environmentOf({ env = [], envFrom = [] }: Container): Environment {
    const whole = envFrom.flatMap(({ secretRef, configMapRef }) => [
      ...(configMapRef ? [this.dataOf('ConfigMap', configMapRef)] : []),
      ...(secretRef ? [this.dataOf('Secret', secretRef)] : []),
    ]);
    const single = env.flatMap(({ name, value, valueFrom }) => {
      const found = value ?? this.valueOf('Secret', valueFrom?.secretKeyRef) ?? this.valueOf('ConfigMap', valueFrom?.configMapKeyRef);
      return found === undefined ? [] : [{ [name]: found }];
    });
    return Object.assign({}, ...whole, ...single) as Environment;
  }

  dataOf(kind: Kind, { name, optional }: { name: string; optional?: boolean }): Environment {
    const found = this.objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (!found && !optional) this.problems.push(`${kind}/${name} is missing`);
    const decode = (text: string) => (kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text);
    const data = Object.entries(found?.data ?? {}).map(([key, text]) => [key, decode(text)]);
    return { ...(Object.fromEntries(data) as Environment), ...found?.stringData };
  }

  private valueOf(kind: Kind, reference?: { name: string; key: string; optional?: boolean }): string | undefined {
    if (!reference) return undefined;
    const value = this.dataOf(kind, reference)[reference.key];
    if (value === undefined && !reference.optional) this.problems.push(`${kind}/${reference.name} has no ${reference.key}`);
    return value;
  }
}
