import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import type { Described, DescribedOperation } from './described.fixture';
import type { JsonSchema, VendorOperation } from './operation';

/** Credentials that a description lists among the parameters, and that travel in a header. */
const IN_HEADERS = ['token'];

/** How our operation contradicts that of the vendor's description. */
export function contradictions(ours: VendorOperation, theirs: DescribedOperation): string[] {
  const nameless = (path: string) => path.replace(/\{[^}]+\}/g, '{}');
  const paths = [theirs.path ?? ours.path, `${theirs.basePath ?? ''}${theirs.path}`].map(nameless);
  const isForm = (ours.encoding ?? 'json') !== 'json' || ours.method === 'GET';
  return [
    ...(ours.method === (theirs.method ?? ours.method) ? [] : [`is ${theirs.method}, not ${ours.method}`]),
    ...(paths.includes(nameless(ours.path)) ? [] : [`has the path ${theirs.path}, not ${ours.path}`]),
    ...(theirs.request ? compare(ours.request ?? { type: 'object' }, theirs.request, { at: 'request', isRequest: true, isForm }) : []),
    ...(ours.answer && theirs.answer ? compare(ours.answer, theirs.answer, { at: 'answer' }) : []),
    ...(ours.failure && theirs.failure ? compare(ours.failure, theirs.failure, { at: 'failure' }) : []),
  ];
}

interface Comparison {
  readonly at: string;
  /** What they require must be required by ours. */
  readonly isRequest?: boolean;
  /** Every value is sent as a text. */
  readonly isForm?: boolean;
}

function compare(ours: JsonSchema, theirs: Described, comparison: Comparison): string[] {
  const { at, isRequest = false, isForm = false } = comparison;
  const { properties: given, required = [], items } = ours;
  const properties = isJsonObject(given) ? given : {};
  const types = typesOf(ours);
  const wrongType = theirs.type !== undefined && types.length > 0 && !types.some((type) => fits(type, theirs.type!, isForm));
  if (wrongType) return [`${at} is of type ${theirs.type}, not ${types.join(' or ')}`];
  const { properties: described, values } = theirs;
  const missing = isRequest
    ? (theirs.required ?? []).filter((name) => !(required as string[]).includes(name) && !IN_HEADERS.includes(name))
    : [];
  const foreign = described ? Object.keys(properties).filter((name) => !Object.hasOwn(described, name)) : [];
  const others = values ? valuesOf(ours).filter((value) => !values.includes(value)) : [];
  return [
    ...missing.map((name) => `${at}.${name} is required`),
    ...foreign.map((name) => `${at}.${name} does not exist`),
    ...others.map((value) => `${at} cannot be ${JSON.stringify(value)}`),
    ...Object.entries(properties).flatMap(([name, schema]) => {
      const one = described && Object.hasOwn(described, name) ? described[name] : undefined;
      return one ? compare(schema as JsonSchema, one(), { ...comparison, at: `${at}.${name}` }) : [];
    }),
    ...(isJsonObject(items) && theirs.items ? compare(items, theirs.items(), { ...comparison, at: `${at}[]` }) : []),
  ];
}

function typesOf({ type, const: value, enum: values }: JsonSchema): string[] {
  if (type !== undefined) return ([type].flat() as string[]).filter((one) => one !== 'null');
  return [...new Set([value, ...((values ?? []) as unknown[])].filter((one) => one !== undefined).map((one) => typeof one as string))];
}

const valuesOf = ({ const: value, enum: values }: JsonObject) =>
  Array.isArray(values) ? (values as unknown[]) : value === undefined ? [] : [value];

function fits(ours: string, theirs: string, isForm: boolean) {
  return ours === theirs || (ours === 'integer' && theirs === 'number') || (isForm && ours === 'string' && theirs !== 'object');
}
