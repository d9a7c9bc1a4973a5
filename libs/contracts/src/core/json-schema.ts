import { allowedForms } from './compiled-class';
import { type Described, Descriptions } from './descriptions';
import type { Dto } from './operation';
import { type Field, type Rule, shapeOf } from './shape';

/** A JSON Schema as OpenAPI 3.1 uses it (draft 2020-12). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The schemas that are referenced, by class name. */
export class SchemaComponents {
  readonly descriptions = new Descriptions();
  private readonly classes = new Map<string, Dto>();
  private readonly found: Record<string, JsonSchema> = {};

  /** A reference to the schema of a class. Throws if two classes have one name. */
  refTo(dto: Dto): JsonSchema {
    const existing = this.classes.get(dto.name);
    if (existing && existing !== dto) throw new Error(`Two classes are named ${dto.name}: the documentation needs a name for each`);
    if (!existing) {
      this.classes.set(dto.name, dto); // before its schema is built: a class may contain itself
      this.found[dto.name] = schemaOf(dto, this);
    }
    return { $ref: `#/components/schemas/${dto.name}` };
  }

  /** Adds a schema without a class. */
  add(name: string, schema: JsonSchema): void {
    this.found[name] = schema;
  }

  /** All schemas so far, sorted by name. */
  get schemas(): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(this.found).sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** The schema of a class's instances, from its decorators. Other properties are accepted and ignored. */
export function schemaOf(dto: Dto, components: SchemaComponents): JsonSchema {
  return objectSchema(shapeOf(dto), components);
}

/** The schema of some fields of a class. */
export function objectSchema(fields: readonly Field[], components: SchemaComponents): JsonSchema {
  const properties = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, components)]));
  const required = fields.filter(isRequired).map(({ name }) => name);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Whether a request without the field is refused: one of its rules refuses an absent value. */
export function isRequired({ preset, optional, rules }: Field): boolean {
  return preset === undefined && !optional && rules.some((rule) => !rule.accepts(undefined, {}));
}

/** The schema of one field's value in an object, with its description; an optional field also accepts `null`. */
export function fieldSchema(field: Field, components: SchemaComponents): JsonSchema {
  const schema = givenSchema(field, components);
  const { description, example } = describedIn(components, field);
  return {
    ...(field.optional ? orNull(schema) : schema),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** The docstring of a field. */
export function describedIn({ descriptions }: SchemaComponents, { dto, name }: Field): Described {
  return descriptions.ofProperty(dto, name);
}

/** The schema of one field's value where `null` is not possible: in a path, in a query, as a whole body. */
export function givenSchema(field: Field, components: SchemaComponents): JsonSchema {
  const schema = valueSchema(field, components);
  return field.preset === undefined ? schema : { ...schema, default: field.preset };
}

/** The schema, or `null`. A schema without a type allows `null` already. */
function orNull({ $ref, anyOf, enum: values, type, ...rest }: JsonSchema) {
  const forms = $ref === undefined ? anyOf : [{ $ref }];
  if (Array.isArray(forms)) return { ...rest, anyOf: [...(forms as JsonSchema[]), { type: 'null' }] };
  return {
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
    ...rest,
  };
}

function valueSchema(field: Field, components: SchemaComponents) {
  const { designType, rules, nested, fitted } = field;
  const dto = nested ?? fitted;
  const arrayOf = (items: JsonSchema) => ({
    type: 'array',
    ...(Object.keys(items).length > 0 && { items }),
    ...keywordsOf(rules.filter(isAboutArrays)),
  });
  if (dto) {
    const { one, many } = allowedForms(field);
    const element = components.refTo(dto);
    if (!many) return element;
    return one ? { anyOf: [element, arrayOf(element)] } : arrayOf(element);
  }
  if (designType === Array || rules.some(isAboutArrays)) return arrayOf(keywordsOf(rules.filter(({ each }) => each)));
  const declared = TYPES.get(designType);
  return { ...(declared !== undefined && { type: declared }), ...keywordsOf(rules) };
}

const TYPES = new Map<unknown, string>([
  [String, 'string'],
  [Number, 'number'],
  [Boolean, 'boolean'],
]);

function isAboutArrays({ name, each }: Rule) {
  return !each && (name === 'isArray' || name.startsWith('array'));
}

function keywordsOf(rules: readonly Rule[]) {
  const keywords = rules.map(({ name, parameters }) => {
    const declared = KEYWORDS[name];
    return typeof declared === 'function' ? declared(parameters) : declared;
  });
  // The topmost decorator names the type, so its keywords must win.
  return Object.assign({}, ...keywords.reverse()) as JsonSchema;
}

/** A date with time and offset, or a date; the documentation describes the other accepted forms. */
const INSTANT: readonly JsonSchema[] = [
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
];

/** The JSON Schema keywords of the constraints in use, by their parameters if they have any; those without a counterpart have none. */
const KEYWORDS: Readonly<Record<string, JsonSchema | ((parameters: readonly unknown[]) => JsonSchema)>> = {
  isString: { type: 'string' },
  isBoolean: { type: 'boolean' },
  isInt: { type: 'integer' },
  isArray: { type: 'array' },
  isObject: { type: 'object', additionalProperties: true },
  isLength: ([minLength, maxLength]) => ({ type: 'string', minLength, maxLength }),
  maxLength: ([maxLength]) => ({ type: 'string', maxLength }),
  matches: ([pattern]) => ({ type: 'string', pattern: (pattern as RegExp).source }),
  isEmail: { type: 'string', format: 'email' },
  isUuid: { type: 'string', format: 'uuid' },
  isInstant: { anyOf: INSTANT },
  isExpiryDate: { anyOf: [...INSTANT, { const: false }] },
  isIso8601: { type: 'string', format: 'date-time' },
  min: ([minimum]) => ({ minimum }),
  max: ([maximum]) => ({ maximum }),
  isIn: ([values]) => oneOf(values as readonly unknown[]),
  arrayMinSize: ([minItems]) => ({ minItems }),
  arrayMaxSize: ([maxItems]) => ({ maxItems }),
  arrayUnique: { uniqueItems: true },
};

function oneOf(values: readonly unknown[]) {
  return { ...(values.every((value) => typeof value === 'string') && { type: 'string' }), enum: values };
}
