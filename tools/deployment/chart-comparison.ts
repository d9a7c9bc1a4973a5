import { type KubernetesObject, nameOf } from './kubernetes';

/** Of labels and annotations those by which Helm, and the chart's restart after a change, work. */
const OF_HELM = /^(helm\.sh\/|app\.kubernetes\.io\/managed-by$|checksum\/)/;
/** The hash that kustomize appends to the name of a ConfigMap (hexadecimal, some digits as letters), and the chart to that of a Job. */
const HASH = /-[0-9a-hkmt]{10}$/;
/** The object after which kustomize names the Job: the chart needs none. */
const NAME_OF_JOB = 'ConfigMap/tidings-migrate';

/**
 * The objects of a kustomization or of a chart by kind and name, without what differs by design: namespaces, hashes in names, Helm's own
 * labels and annotations, the order of variables, and the tag of an image that has none.
 */
export function comparable(objects: readonly KubernetesObject[], version: string): Record<string, unknown> {
  const all = objects.map((object) => normalised(object, version) as KubernetesObject).map((object) => [nameOf(object), object] as const);
  return Object.fromEntries(all.filter(([name]) => name !== NAME_OF_JOB && !name.startsWith('Namespace/')));
}

function normalised(value: unknown, version: string, key = ''): unknown {
  if (Array.isArray(value)) return byName(value.map((one) => normalised(one, version)));
  if (typeof value === 'object' && value !== null) return normalisedObject(value as Record<string, unknown>, version);
  if (typeof value !== 'string') return value;
  if (key === 'image' && value === 'tidings') return `tidings:${version}`;
  return key === 'name' ? value.replace(HASH, '') : value;
}

function normalisedObject(value: Record<string, unknown>, version: string) {
  const entries = Object.entries(value)
    .filter(([name]) => name !== 'namespace' && !OF_HELM.test(name))
    .map(([name, one]) => [name, normalised(one, version, name)] as const)
    // Helm's annotations may have been the only ones.
    .filter(([name, one]) => name !== 'annotations' || Object.keys(one as object).length > 0);
  return Object.fromEntries(entries);
}

/** Variables and volumes have names; their order means nothing. */
function byName(list: unknown[]): unknown[] {
  const nameOfItem = (item: unknown) => (item as { name?: string } | null)?.name;
  if (!list.every((item) => typeof nameOfItem(item) === 'string')) return list;
  return [...list].sort((one, other) => nameOfItem(one)!.localeCompare(nameOfItem(other)!));
}
