import { readObjects } from './kubernetes';
import { isReachable } from './network-reach';

const POLICIES = readObjects(`
kind: NetworkPolicy
metadata: { name: one }
spec:
  podSelector: { matchLabels: { app: a } }
  policyTypes: [Ingress, Egress]
  ingress: [{ from: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: monitoring } } }], ports: [{ port: 8081 }] }]
  egress:
    - to: [{ podSelector: { matchExpressions: [{ key: app, operator: In, values: [b, c] }] } }]
      ports: [{ port: 9092 }]
    - to: [{ ipBlock: { cidr: 0.0.0.0/0, except: [10.0.0.0/8] } }, { ipBlock: { cidr: '::/0', except: ['fc00::/7'] } }]
---
kind: NetworkPolicy
metadata: { name: two }
spec: { podSelector: { matchLabels: { app: a } }, policyTypes: [Egress], egress: [{ ports: [{ protocol: UDP, port: 53 }] }] }
`);

describe('the reach of a pod', () => {
  const reaches = (
    ...parameters: [labels: Record<string, string>, peer: Parameters<typeof isReachable>[3], port: number, protocol?: 'UDP']
  ) => isReachable(POLICIES, 'Egress', ...parameters);

  it('is everything without a policy', () => expect(reaches({ app: 'z' }, { labels: { app: 'b' } }, 1)).toBe(true));

  it.each([
    ['pods of the namespace by label and port', true, { labels: { app: 'c' } }, 9092],
    ['another port of theirs', false, { labels: { app: 'c' } }, 9093],
    ['other pods', false, { labels: { app: 'd' } }, 9092],
    ['their like in another namespace', false, { labels: { app: 'c' }, namespace: 'other' }, 9092],
    ['a public address', true, { address: '93.184.216.34' }, 443],
    ['a private address', false, { address: '10.1.2.3' }, 443],
    ['a public address of version 6', true, { address: '2606:2800::1' }, 443],
    ['a private address of version 6', false, { address: 'fd00::1' }, 443],
  ])('has %s: %s', (_, expected, peer, port) => expect(reaches({ app: 'a' }, peer, port)).toBe(expected));

  it('is what all policies together allow, by protocol', () => {
    expect(reaches({ app: 'a' }, { labels: { app: 'd' } }, 53, 'UDP')).toBe(true);
    expect(reaches({ app: 'a' }, { labels: { app: 'd' } }, 53)).toBe(false);
  });

  it('inward is that of the sources', () => {
    expect(isReachable(POLICIES, 'Ingress', { app: 'a' }, { namespace: 'monitoring' }, 8081)).toBe(true);
    expect(isReachable(POLICIES, 'Ingress', { app: 'a' }, { labels: { app: 'b' } }, 8081)).toBe(false);
  });
});
