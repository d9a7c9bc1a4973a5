import { parseAllDocuments } from 'yaml';

/** The fields of an object that the checks read; schemas validate the rest. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels; annotations?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: {
    replicas?: number;
    selector?: { matchLabels?: Labels } & Record<string, unknown>;
    template?: { metadata?: { labels?: Labels }; spec: PodSpec };
    ports?: { name?: string; targetPort?: number | string }[];
  };
}

export type Labels = Record<string, string>;

export interface PodSpec {
  terminationGracePeriodSeconds?: number;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number };
  topologySpreadConstraints?: { topologyKey: string }[];
  containers: Container[];
  volumes?: { name: string; secret?: { secretName: string; optional?: boolean } }[];
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: KeyReference; configMapKeyRef?: KeyReference } }[];
  envFrom?: { secretRef?: Reference; configMapRef?: Reference }[];
  ports?: { name?: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: { allowPrivilegeEscalation?: boolean; readOnlyRootFilesystem?: boolean; capabilities?: { drop?: string[] } };
  volumeMounts?: { name: string }[];
}

interface Probe {
  httpGet?: { path: string; port: string | number };
}

interface Reference {
  name: string;
  optional?: boolean;
}

interface KeyReference extends Reference {
  key: string;
}

/** A pod template with its owner. */
export interface Workload {
  owner: KubernetesObject;
  labels: Labels;
  pod: PodSpec;
  /** Its only container. */
  container: Container;
}

/** The objects of a stream of YAML documents. @throws Error for text that is not YAML */
export function readObjects(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return (document.toJS() as KubernetesObject | null) ?? [];
  });
}

/** The objects that start pods. */
export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap((owner) => {
    const { template } = owner.spec ?? {};
    const container = template?.spec.containers[0];
    return template && container ? [{ owner, labels: template.metadata?.labels ?? {}, pod: template.spec, container }] : [];
  });
}

/** Whether a workload runs the image of Tidings. */
export function isOurs({ container }: Workload): boolean {
  return /(^|\/)tidings(:|@|$)/.test(container.image);
}

/** `Deployment/tidings-gateway`. */
export function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}
