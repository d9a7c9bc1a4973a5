import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { type CheckingTool, goModuleFiles } from './checking-tools';
import { type KubernetesObject, nameOf } from './kubernetes';

/** What the checks read of a CustomResourceDefinition. */
interface Definition {
  spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
}

interface Schema {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  [keyword: string]: unknown;
}

/** The definitions of operators whose Go modules hold them. */
const PUBLISHED = [
  goModuleFiles('github.com/kedacore/keda/v2@v2.21.0', ['config/crd/bases/keda.sh_scaledobjects.yaml']),
  goModuleFiles('github.com/prometheus-operator/prometheus-operator@v0.85.0', [
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  ]),
  goModuleFiles('sigs.k8s.io/gateway-api@v1.4.1', ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml']),
];

/** Definitions with the fields that are used here, for operators that no package registry publishes any of. */
const OWN = path.join(__dirname, 'definitions');

let validators: Map<string, ValidateFunction> | undefined;

/** Validates objects of operators against the schemas of their definitions, without unknown fields. */
export const customResources: Pick<CheckingTool, 'missing'> & { problemsOf(objects: readonly KubernetesObject[]): string[] } = {
  missing: () => PUBLISHED.flatMap((files) => files.missing() ?? [])[0],

  /** One sentence for each mistake; an object that no definition describes is one. */
  problemsOf(objects) {
    validators ??= new Map(definitions().flatMap(validatorsOf));
    return objects.flatMap((object) => {
      const validate = validators!.get(`${object.apiVersion}/${object.kind}`);
      if (!validate) return [`${nameOf(object)} is of a kind ${object.apiVersion} that no definition describes`];
      if (validate(object)) return [];
      return validate.errors!.map(
        ({ instancePath, message, params }) => `${nameOf(object)}${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    });
  },
};

/** Whether an object is of Kubernetes itself, and not of an operator. */
export function isBuiltIn({ apiVersion }: KubernetesObject): boolean {
  const [group] = apiVersion.split('/');
  return !group!.includes('.') || (group!.endsWith('.k8s.io') && group !== 'gateway.networking.k8s.io');
}

function definitions(): Definition[] {
  const files = [...PUBLISHED.flatMap((one) => one.files()), ...readdirSync(OWN).map((name) => path.join(OWN, name))];
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => (document.toJS() as Definition | null) ?? []),
  );
}

function validatorsOf({ spec }: Definition): [string, ValidateFunction][] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, code: { regExp: goRegExp } });
  return spec.versions.map(({ name, schema }) => {
    const whole = closed(schema.openAPIV3Schema);
    whole.properties = { ...whole.properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
    return [`${spec.group}/${name}/${spec.names.kind}`, ajv.compile(whole)];
  });
}

/** Patterns are those of Go, where a flag may stand in the pattern. */
const goRegExp = Object.assign(
  (pattern: string, flags: string) =>
    pattern.includes('(?i)') ? new RegExp(pattern.replace('(?i)', ''), `${flags}i`) : new RegExp(pattern, flags),
  { code: 'new RegExp' },
);

/** As the API server reads a structural schema with strict validation: fields that it does not name are mistakes. */
function closed(schema: Schema): Schema {
  if (schema['x-kubernetes-int-or-string']) return { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  const copy: Schema = { ...schema };
  if (schema.properties) {
    copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, closed(one)]));
    copy.additionalProperties ??= schema['x-kubernetes-preserve-unknown-fields'] === true;
  }
  if (typeof schema.additionalProperties === 'object') copy.additionalProperties = closed(schema.additionalProperties);
  if (schema.items) copy.items = closed(schema.items);
  return copy;
}
