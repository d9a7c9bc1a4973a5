import { BlockList } from 'node:net';
import type { KubernetesObject, Labels } from './kubernetes';

/** A peer of a connection: pods by labels, in the namespace of the others or in one that is named, or an address. */
export interface Peer {
  labels?: Labels;
  /** Another namespace than that of the policies. */
  namespace?: string;
  address?: string;
}

interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: 'In'; values: string[] }[];
}

interface Rule {
  from?: PolicyPeer[];
  to?: PolicyPeer[];
  ports?: { protocol?: string; port: number }[];
}

interface PolicyPeer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface NetworkPolicySpec {
  podSelector: Selector;
  policyTypes: ('Ingress' | 'Egress')[];
  ingress?: Rule[];
  egress?: Rule[];
}

/**
 * Whether the NetworkPolicies among the objects let a pod open a connection to a peer (`Egress`), or accept one from it (`Ingress`), on a
 * port. Without a policy for the pod everything is open.
 */
export function isReachable(
  objects: readonly KubernetesObject[],
  direction: 'Ingress' | 'Egress',
  labels: Labels,
  peer: Peer,
  port: number,
  protocol: 'TCP' | 'UDP' = 'TCP',
): boolean {
  const specs = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as unknown as NetworkPolicySpec);
  const applied = specs.filter(({ podSelector, policyTypes }) => policyTypes.includes(direction) && selects(podSelector, labels));
  if (applied.length === 0) return true;
  const rules = applied.flatMap(({ ingress = [], egress = [] }) => (direction === 'Ingress' ? ingress : egress));
  return rules.some((rule) => {
    const peers = direction === 'Ingress' ? rule.from : rule.to;
    const isPort = !rule.ports || rule.ports.some((one) => one.port === port && (one.protocol ?? 'TCP') === protocol);
    return isPort && (!peers || peers.some((one) => includesPeer(one, peer)));
  });
}

/** Whether a selector of labels selects an object that has them. */
export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

function includesPeer({ podSelector, namespaceSelector, ipBlock }: PolicyPeer, peer: Peer): boolean {
  if (ipBlock)
    return (
      peer.address !== undefined && isWithin(peer.address, ipBlock.cidr) && !ipBlock.except?.some((cidr) => isWithin(peer.address!, cidr))
    );
  if (peer.address !== undefined) return false;
  const inNamespace = namespaceSelector
    ? peer.namespace !== undefined && selects(namespaceSelector, { 'kubernetes.io/metadata.name': peer.namespace })
    : peer.namespace === undefined;
  return inNamespace && (!podSelector || selects(podSelector, peer.labels ?? {}));
}

function isWithin(address: string, cidr: string): boolean {
  const [network, bits] = cidr.split('/') as [string, string];
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  if (family(address) !== family(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family(network));
  return list.check(address, family(address));
}
