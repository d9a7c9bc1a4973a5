import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

interface Project {
  name: string;
  folder: string;
  targets: string[];
  /** Dependencies that package.json declares, without scope. */
  needs: string[];
  /** Projects whose processes it starts. */
  starts: string[];
}

interface GraphTools {
  readProjects(): Project[];
  closureOf(projects: readonly Project[], name: string): Set<string>;
  pictureOf(projects: readonly Project[]): string;
}

const root = path.dirname(__dirname);
const NOT_PRODUCT = /\.(?:spec|e2e|fixture|contract)\.ts$|\/src\/(?:testing|storm)\//;
/** The bench and the tests' own library are product for themselves; e2e consists of specs. */
const isProduct = (folder: string, file: string): boolean => folder === 'apps/e2e' || !NOT_PRODUCT.test(file);

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Projects that a project's files import, those of its specs separately. */
function importsOf({ folder }: Project) {
  const source = path.join(folder, 'src');
  const files = existsSync(path.join(root, source)) ? (readdirSync(path.join(root, source), { recursive: true }) as string[]) : [];
  const imports = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(source, file))
    .flatMap((file) =>
      [...read(file).matchAll(/(?:\bfrom |\bimport |\b(?:import|require)\()'@tidings\/([^/']+)/g)].map(([, name]) => ({
        file,
        name: name!,
      })),
    );
  const named = (wanted: boolean) => [...new Set(imports.filter(({ file }) => isProduct(folder, file) === wanted).map(({ name }) => name))];
  return { product: named(true), specs: named(false) };
}

describe("Nx's graph of the projects", () => {
  let graph: GraphTools;
  let boundaries: { ALLOWED: Record<string, string[]>; FOR_SPECS: string[]; FOLDERS: Record<string, string> };
  let all: Project[];
  /** Without the tools themselves, which may import any. */
  let projects: Project[];

  beforeAll(async () => {
    graph = (await import(path.join(__dirname, 'lib/project-graph.mjs'))) as GraphTools;
    boundaries = (await import(path.join(__dirname, 'boundaries.mjs'))) as typeof boundaries;
    all = graph.readProjects();
    projects = all.filter(({ name }) => name !== 'tools');
  });

  it('has the projects of tools/boundaries.mjs, and only dependencies that it allows', () => {
    expect(projects.map(({ name }) => name).sort()).toEqual(Object.keys(boundaries.ALLOWED).sort());
    const foreign = projects.flatMap(({ name, needs }) =>
      needs.filter((one) => !boundaries.ALLOWED[name]?.includes(one)).map((one) => `${name} → ${one}`),
    );
    expect(foreign).toEqual([]);
  });

  it('has no circle', () => {
    for (const { name } of all) expect(() => graph.closureOf(all, name)).not.toThrow();
  });

  it('has every project with a build, a type check and, where there are suites, a test', () => {
    for (const { name, folder, targets } of all) {
      const wanted = ['build', 'typecheck', ...(existsSync(path.join(root, folder, 'jest.config.cjs')) ? ['test'] : [])];
      expect({ name, targets: [...targets].sort() }).toEqual({ name, targets: wanted.sort() });
    }
  });

  it('has exactly the dependencies that the code imports', () => {
    const declared = projects.map(({ name, needs }) => ({ name, needs: [...needs].sort() }));
    expect(declared).toEqual(projects.map((project) => ({ name: project.name, needs: importsOf(project).product.sort() })));
  });

  it('covers what specs import beside it: nx.json has libraries and tools as inputs of each test', () => {
    const covered = projects.filter(({ folder }) => /^(libs|tools)\//.test(folder)).map(({ name }) => name);
    const missing = projects.flatMap((project) => {
      const inputs = new Set([project.name, ...covered, ...graph.closureOf(projects, project.name)]);
      return importsOf(project)
        .specs.filter((name) => !inputs.has(name))
        .map((name) => `${project.name} → ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('knows that the journeys start every app', () => {
    const apps = projects.filter(({ name, folder }) => folder.startsWith('apps/') && name !== 'e2e').map(({ name }) => name);
    expect([...graph.closureOf(projects, 'e2e')]).toEqual(expect.arrayContaining(apps));
  });

  it('is drawn in docs/architecture.md (node tools/write-project-graph.mjs)', () => {
    expect(read('docs/architecture.md')).toContain(graph.pictureOf(projects));
  });
});

describe('a graph with a circle', () => {
  it('is refused', async () => {
    const { closureOf } = (await import(path.join(__dirname, 'lib/project-graph.mjs'))) as GraphTools;
    const project = (name: string, ...needs: string[]): Project => ({ name, folder: '', targets: [], needs, starts: [] });
    expect(() => closureOf([project('a', 'b'), project('b', 'c'), project('c', 'a')], 'a')).toThrow('a → b → c → a');
  });
});
