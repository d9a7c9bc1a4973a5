import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './set-up.mjs';

const short = (name) => name.replace('@tidings/', '');

/** Nx's graph: for each project its folder, targets, dependencies that package.json declares, and implicit ones. Names are without scope. */
export function readProjects() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-graph-'));
  const file = path.join(folder, 'graph.json');
  try {
    execFileSync(process.execPath, [path.join(root, 'node_modules/nx/dist/bin/nx.js'), 'graph', `--file=${file}`], {
      cwd: root,
      env: { ...process.env, NX_DAEMON: 'false', NX_SKIP_NATIVE_FILE_CACHE: 'true' },
      stdio: 'pipe',
    });
    const { nodes, dependencies } = JSON.parse(readFileSync(file, 'utf8')).graph;
    return Object.entries(nodes).map(([name, { data }]) => {
      const to = (implicit) =>
        dependencies[name].filter(({ type }) => (type === 'implicit') === implicit).map(({ target }) => short(target));
      return { name: short(name), folder: data.root, targets: Object.keys(data.targets), needs: to(false), starts: to(true) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All projects that `name` depends on through others. @throws Error when it depends on itself */
export function closureOf(projects, name, path = []) {
  if (path.includes(name)) throw new Error(`Circular dependency: ${[...path, name].join(' → ')}`);
  const { needs, starts } = projects.find((project) => project.name === name);
  return new Set([...needs, ...starts].flatMap((next) => [next, ...closureOf(projects, next, [...path, name])]));
}

/** The graph for docs/architecture.md, without the dependencies that follow from others; dotted: starts its processes, or serves its files. */
export function pictureOf(projects) {
  const lines = projects.map(({ name, needs, starts }) => {
    const direct = needs.filter((one) => !needs.some((other) => closureOf(projects, other).has(one)));
    const arrows = (arrow, names) => (names.length > 0 ? [`  ${name} ${arrow} ${names.sort().join(' & ')}`] : []);
    return [...arrows('-->', direct), ...arrows('-.->', starts)].join('\n');
  });
  return ['```mermaid', 'flowchart TD', ...lines.filter(Boolean).sort(), '```'].join('\n');
}
