import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { helm, kubernetesValidate, kustomize } from './checking-tools';
import { customResources, isBuiltIn } from './custom-resources';
import { type KubernetesObject, readObjects } from './kubernetes';
import { root } from './repository';

/** The oldest supported Kubernetes, and the newest with published schemas. */
export const KUBERNETES_VERSIONS = ['1.30', '1.37'] as const;

export const CHART = path.join(root, 'charts/tidings');
export const PRODUCTION_VALUES = path.join(CHART, 'values-production.yaml');

const built = new Map<string, string>();

/** The objects of a kustomization, as YAML. It is built once. */
export function build(kustomization: string): string {
  const yaml = built.get(kustomization) ?? runBuild(path.join(root, kustomization));
  built.set(kustomization, yaml);
  return yaml;
}

/** The objects of a kustomization of a copy of `k8s`, which `edit` may change before. */
export function buildEdited(kustomization: string, edit: (folder: string) => void): string {
  return withFolder((folder) => {
    cpSync(path.join(root, 'k8s'), path.join(folder, 'k8s'), { recursive: true });
    edit(folder);
    return runBuild(path.join(folder, kustomization));
  });
}

/** The objects of an overlay together with components of `k8s/components`. */
export function buildWith(overlay: string, components: readonly string[]): string {
  const key = [overlay, ...components].join();
  const kustomization = { resources: [`../${path.basename(overlay)}`], components: components.map((name) => `../../components/${name}`) };
  const yaml =
    built.get(key) ??
    buildEdited('k8s/overlays/more', (folder) => {
      mkdirSync(path.join(folder, 'k8s/overlays/more'));
      writeFileSync(path.join(folder, 'k8s/overlays/more/kustomization.yaml'), stringify(kustomization));
    });
  built.set(key, yaml);
  return yaml;
}

function runBuild(folder: string): string {
  const { status, stdout, stderr } = kustomize.run(['build', folder]);
  if (status !== 0 || stderr !== '') throw new Error(`kustomize ended with ${status}: ${stderr}`);
  return stdout;
}

/** The objects that `helm install` would create, as YAML. @param parameters for example `--set` and `--values` */
export function renderChart(...parameters: string[]): string {
  const { status, stdout, stderr } = helm.run(['template', 'tidings', CHART, '--kube-version', KUBERNETES_VERSIONS[0], ...parameters]);
  if (status !== 0 || stderr !== '') throw new Error(`helm ended with ${status}: ${stderr}`);
  return stdout;
}

/** Violations of the schemas: of Kubernetes in some versions, and of the operators. */
export function schemaProblems(yaml: string, versions: readonly string[] = KUBERNETES_VERSIONS): string[] {
  const objects = readObjects(yaml);
  const builtIn = objects.filter(isBuiltIn);
  return [
    ...versions.flatMap((version) => builtInProblems(builtIn, version)),
    ...customResources.problemsOf(objects.filter((object) => !isBuiltIn(object))),
  ];
}

function builtInProblems(objects: readonly KubernetesObject[], version: string): string[] {
  return withFolder((folder) => {
    const file = path.join(folder, 'objects.yaml');
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    const { status, stdout, stderr } = kubernetesValidate.run(['--strict', '--kubernetes-version', version, file]);
    const messages = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('INFO'));
    return status === 0 && messages.length === 0 ? [] : [`Kubernetes ${version}: ${messages.join('; ')}`];
  });
}

function withFolder<Result>(use: (folder: string) => Result): Result {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-manifests-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
