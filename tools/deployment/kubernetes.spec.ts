import { readObjects } from './kubernetes';
import { environmentsOfObjects } from './kubernetes-environment';
import { problemsOfObjects } from './kubernetes-rules';

/** A valid Deployment with the objects it needs. */
const SOUND = `
kind: Deployment
metadata: { name: tidings-identity }
spec:
  selector: { matchLabels: { app: identity } }
  template:
    metadata: { labels: { app: identity } }
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 45
      securityContext: { runAsNonRoot: true, runAsUser: 1000 }
      containers:
        - name: tidings
          image: registry.example.com/tidings:1.0.0
          args: [identity]
          envFrom: [{ configMapRef: { name: shared } }, { secretRef: { name: absent, optional: true } }]
          env: [{ name: DATABASE_URL, valueFrom: { secretKeyRef: { name: database, key: url } } }]
          ports: [{ name: management, containerPort: 8081 }]
          startupProbe: { httpGet: { path: /health/live, port: management } }
          livenessProbe: { httpGet: { path: /health/live, port: management } }
          readinessProbe: { httpGet: { path: /health/ready, port: management } }
          resources: { requests: { cpu: 1, memory: 1Mi }, limits: { memory: 1Mi } }
          securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
---
kind: Service
metadata: { name: metrics }
spec: { selector: { app: identity }, ports: [{ targetPort: management }] }
---
kind: ConfigMap
metadata: { name: shared }
data: { LOG_LEVEL: info }
---
kind: Secret
metadata: { name: database }
data: { url: cG9zdGdyZXM= }
`;

describe('the rules for k8s', () => {
  it('accept valid objects and read the environment through every reference', () => {
    const objects = readObjects(SOUND);
    expect(problemsOfObjects(objects)).toEqual([]);
    expect(environmentsOfObjects(objects)).toEqual({
      problems: [],
      environments: { identity: { LOG_LEVEL: 'info', DATABASE_URL: 'postgres' } },
    });
  });

  it.each([
    ['runAsNonRoot: true', 'runAsNonRoot: false', 'Deployment/tidings-identity may run as root'],
    ['readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'Deployment/tidings-identity may write its root filesystem'],
    ['allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true', 'Deployment/tidings-identity may gain privileges'],
    ['drop: [ALL]', 'drop: [CHOWN]', 'Deployment/tidings-identity does not drop all capabilities'],
    ['automountServiceAccountToken: false', 'x: 1', 'Deployment/tidings-identity carries a token of the cluster'],
    ['enableServiceLinks: false', 'x: 1', "Deployment/tidings-identity gets the cluster's variables"],
    ['cpu: 1, memory: 1Mi', 'cpu: 1', 'Deployment/tidings-identity has no resources'],
    [
      'terminationGracePeriodSeconds: 45',
      'terminationGracePeriodSeconds: 30',
      'Deployment/tidings-identity is killed before it can have stopped',
    ],
    ['readinessProbe', 'ready', 'Deployment/tidings-identity has no readinessProbe of /health/ready on a port it has'],
    [
      '/health/live, port: management',
      '/health/live, port: http',
      'Deployment/tidings-identity has no startupProbe of /health/live on a port it has',
    ],
    ['matchLabels: { app: identity }', 'matchLabels: { app: other }', 'Deployment/tidings-identity does not select its own pods'],
    ['spec: { selector: { app: identity }', 'spec: { selector: { app: other }', 'Service/metrics selects no pod'],
    ['targetPort: management', 'targetPort: http', 'Service/metrics leads to a port http that no pod has'],
  ])('find %s → %s', (part, damaged, problem) => {
    expect(problemsOfObjects(readObjects(SOUND.replace(part, damaged)))).toContain(problem);
  });

  it.each([
    ['data: { url:', 'data: { uri:', 'Secret/database has no url'],
    ['metadata: { name: database }', 'metadata: { name: other }', 'Secret/database is missing'],
    ['metadata: { name: shared }', 'metadata: { name: other }', 'ConfigMap/shared is missing'],
    ['args: [identity]', 'args: [identify]', 'Deployment/tidings-identity runs no role of the image'],
  ])('find a broken reference: %s → %s', (part, damaged, problem) => {
    expect(environmentsOfObjects(readObjects(SOUND.replace(part, damaged))).problems).toContain(problem);
  });

  it('refuse text that is not YAML', () => {
    expect(() => readObjects('a: [')).toThrow();
  });
});
