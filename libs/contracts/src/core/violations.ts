import { accepts, allowedForms, buildField, REFUSED, type Values } from './compiled-class';
import { isJsonObject } from './deep-merge';
import type { Dto } from './operation';
import { isGiven } from './refusals';
import { type Field, FITS, type Rule, shapeOf } from './shape';
import { cut, keyPath, NESTING_DEPTH_MAX } from './text';

/** How many violations an error names; the bound limits the cost of a bad request. */
const VIOLATIONS_MAX = 3;

const VALUE_LENGTH_SHOWN_MAX = 100;
const SENTENCE_LENGTH_MAX = 300;

/** Fields whose values are not repeated in answers, which clients may log. */
const SECRET_FIELD = /password|secret|token|credential|authorization|^((api|routing)_?)?key$|^(apn|expo|oneSignalPlayerID)$/i;

/** How fields of a request were sent, which determines their names in errors. */
export interface RequestSources {
  /** It was the whole body: its fields are named without a prefix. */
  bodyField?: string;
  /** They came from the query: an array of one value was sent as a single value. */
  queryFields?: readonly string[];
}

/**
 * The violations of `plain`, one sentence per field, at most `VIOLATIONS_MAX`, in the constraints' own messages. Parts that the
 * compiled check accepts are skipped, so a large request costs no more than its compiled check. `path` is the prefix of `plain` as part of
 * a larger value.
 */
export function violationsOf(dto: Dto, plain: object, { path = '', ...sources }: RequestSources & { path?: string } = {}): string[] {
  const sentences: string[] = [];
  for (const sentence of inspect(dto, plain, path, 0, sources)) {
    if (sentences.push(sentence) === VIOLATIONS_MAX) break;
  }
  return sentences;
}

/** The violations, found one by one. */
function* inspect(dto: Dto, plain: object, path: string, depth: number, sources: RequestSources = {}): Generator<string, void> {
  if (depth > NESTING_DEPTH_MAX) {
    yield `${path} is nested deeper than ${NESTING_DEPTH_MAX} levels`;
    return;
  }
  const fields = shapeOf(dto);
  const instance = new dto() as Values;
  const unbuilt = new Set<Field>();
  for (const field of fields) {
    const given = (plain as Values)[field.name];
    if (given === undefined) continue;
    const value = valueOf(field, given, plain, depth);
    if (value === REFUSED) unbuilt.add(field);
    instance[field.name] = value === REFUSED ? given : value;
  }
  for (const field of fields) {
    const value = instance[field.name];
    if (field.optional && !isGiven(value)) continue;
    const isBody = field.name === sources.bodyField;
    const fieldPath = isBody ? 'The body' : keyPath(path, field.name);
    const sent = field.convert && !field.nested ? (plain as Values)[field.name] : value;
    const isSingle = Array.isArray(value) && value.length === 1 && sources.queryFields?.includes(field.name) === true;
    const sentences = firstBroken(field, value, instance, { path: fieldPath, sent, isSingle });
    if (sentences.length > 0) yield* sentences;
    else if (field.nested && value === null) yield mustBe(allowedForms(field).one ? 'an object' : 'an array', fieldPath, value);
    else if (unbuilt.has(field)) yield* inspectNested(field, value, fieldPath, depth, isBody);
  }
}

/** If a `@Transform` throws, the rules check the given value. */
function valueOf(field: Field, given: unknown, plain: object, depth: number) {
  try {
    const build = buildField(field);
    return build ? build(given, plain, depth) : given;
  } catch {
    return field.nested ? REFUSED : given;
  }
}

/** The name of a value in errors, and how the client sent it: before its conversion, an array as a single value. */
interface Sent {
  readonly path: string;
  readonly sent: unknown;
  readonly isSingle: boolean;
}

/** The sentences of the first rule that the value breaks: one, or of an object that fits no class those of its fields. */
function firstBroken({ name, rules, nested }: Field, value: unknown, object: object, { path, sent, isSingle }: Sent) {
  const missing = value === null ? rules.find((rule) => rule.name === 'isDefined') : undefined;
  for (const rule of rules) {
    if (rule === missing) continue; // the messages of the other rules name the expected type
    if (!rule.each || !Array.isArray(value)) {
      if (!rule.accepts(value, object)) return sentencesOf(rule, name, sent, object, path);
      continue;
    }
    const index = value.findIndex((element) => !rule.accepts(element, object));
    if (index >= 0) return sentencesOf(rule, name, value[index], object, isSingle ? path : `${path}[${index}]`);
  }
  return missing && !nested ? [mustBe('given', path, value)] : [];
}

function* inspectNested(field: Field, value: unknown, path: string, depth: number, isBody: boolean) {
  const dto = field.nested!;
  const { one, many } = allowedForms(field);
  const inside = isBody ? '' : path;
  if (many && Array.isArray(value)) {
    for (const [index, element] of (value as unknown[]).entries()) {
      const elementPath = `${inside}[${index}]`;
      if (!isJsonObject(element)) yield mustBe('an object', elementPath, element);
      else if (!accepts(dto, element, depth + 1)) yield* inspect(dto, element, elementPath, depth + 1);
    }
  } else if (!one) yield mustBe('an array', path, value);
  else if (!isJsonObject(value)) yield mustBe('an object', path, value);
  else yield* inspect(dto, value, inside, depth + 1);
}

function sentencesOf(rule: Rule, name: string, value: unknown, object: object, path: string) {
  if (rule.name !== FITS) return [sentenceOf(rule, name, value, object, path)];
  return isJsonObject(value) ? violationsOf(rule.parameters[0] as Dto, value, { path }) : [mustBe('an object', path, value)];
}

/** The constraint's message with the full path instead of the field's name, and the value. */
function sentenceOf(rule: Rule, name: string, value: unknown, object: object, path: string) {
  if (value === undefined) return `${path} is required`;
  const message = rule.message(value, object);
  const text = message.replace('must be one of the following values: ', 'must be one of ').replace(/\$value/g, () => shown(value));
  const prefix = ['each value in ', ''].map((each) => `${each}${name} `).find((start) => text.startsWith(start));
  const located = prefix ? `${path} ${text.slice(prefix.length)}` : `${path}: ${text}`;
  return `${cut(located, SENTENCE_LENGTH_MAX)} (got ${SECRET_FIELD.test(name) ? 'a value not shown here' : shown(value)})`;
}

/** The sentence that `path` must be `expected`, or is required. */
export function mustBe(expected: string, path: string, value: unknown): string {
  return value === undefined ? `${path} is required` : `${path} must be ${expected} (got ${shown(value)})`;
}

function shown(value: unknown) {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return cut(String(value), VALUE_LENGTH_SHOWN_MAX);
  return cut(JSON.stringify(value.slice(0, VALUE_LENGTH_SHOWN_MAX + 1)), VALUE_LENGTH_SHOWN_MAX);
}
