/** The keywords of a schema that the documents of the interface use. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Schemas of a document's components, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** An object within a schema: its fields, and what it is called. */
export interface ObjectForm {
  /** Of a named schema. */
  readonly name?: string;
  readonly fields: readonly Field[];
  /** The schema of fields with any name. */
  readonly others?: Schema;
}

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

function referredName({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}

/** The alternatives of a schema, without `null`. */
function formsOf(schema: Schema): readonly Schema[] {
  return (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
}

function isNullable({ type, anyOf = [] }: Schema): boolean {
  return [type].flat().includes('null') || anyOf.some((one) => one.type === 'null');
}

/** A type in words: `string`, `array of List or null`. */
export function typeText(schema: Schema): string {
  const forms = [...new Set(formsOf(schema).map(formText))];
  return [...forms, ...(isNullable(schema) ? ['null'] : [])].join(' or ') || 'null';
}

function formText(form: Schema): string {
  const { type, items, enum: values, const: only } = form;
  const name = referredName(form);
  if (name !== undefined) return name;
  const [first = values || only !== undefined ? typeof (values?.[0] ?? only) : 'any value'] = [type].flat().filter((one) => one !== 'null');
  return first === 'array' && items ? `array of ${typeText(items)}` : first;
}

/** The values that a schema allows, if they are listed. */
export function valuesOf(schema: Schema): readonly unknown[] {
  return formsOf(schema).flatMap(({ enum: values = [], const: only, items }) =>
    only !== undefined ? [only] : values.length > 0 ? values.filter((one) => one !== null) : items ? valuesOf(items) : [],
  );
}

/** The limits of a schema, each in words. */
export function limitsOf(schema: Schema): string[] {
  return formsOf(schema).flatMap(({ minLength, maxLength, minimum, maximum, minItems, maxItems, uniqueItems, format, pattern, items }) => [
    ...range(minLength, maxLength, 'characters'),
    ...range(minimum, maximum),
    ...range(minItems, maxItems, 'items'),
    ...(uniqueItems ? ['no item twice'] : []),
    ...(format === undefined ? [] : [`format ${format}`]),
    ...(pattern === undefined ? [] : [`pattern ${pattern}`]),
    ...(items && !items.$ref ? limitsOf(items).map((limit) => `each ${limit}`) : []),
  ]);
}

function range(min: number | undefined, max: number | undefined, unit = ''): string[] {
  if (min === undefined && max === undefined) return [];
  const bounds =
    max === undefined ? `at least ${min}` : min === undefined ? `at most ${max}` : min === max ? `exactly ${max}` : `${min} to ${max}`;
  return [unit === '' ? bounds : `${bounds} ${unit}`];
}

/** The objects that a value of the schema is, or is a list of; none for a plain value. */
export function objectsOf(schema: Schema, schemas: Schemas): ObjectForm[] {
  const forms = formsOf(schema).flatMap((form): ObjectForm[] => {
    const name = referredName(form);
    const { items, ...whole } = name === undefined ? form : (schemas[name] ?? {});
    if (items) return objectsOf(items, schemas);
    const { properties = {}, required = [], additionalProperties } = merged(whole, schemas);
    const fields = Object.entries(properties).map(([field, one]) => ({ name: field, isRequired: required.includes(field), schema: one }));
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    return fields.length > 0 || others ? [{ name, fields, others }] : [];
  });
  // One object, or a list of it, is one form.
  return forms.filter(({ name }, index) => name === undefined || forms.findIndex((one) => one.name === name) === index);
}

/** A schema with the fields of those that it extends. */
function merged(schema: Schema, schemas: Schemas): Schema {
  const bases = (schema.allOf ?? []).map((base) => merged(schemas[referredName(base) ?? ''] ?? base, schemas));
  return {
    ...schema,
    properties: Object.assign({}, ...bases.map(({ properties }) => properties), schema.properties) as Schema['properties'],
    required: [...bases.flatMap(({ required = [] }) => required), ...(schema.required ?? [])],
  };
}

/** The names of all fields of schemas, nested ones too. */
export function fieldNames(roots: readonly Schema[], schemas: Schemas): Set<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const visit = (schema: Schema): void => {
    for (const { name, fields, others } of objectsOf(schema, schemas)) {
      if (name !== undefined && seen.has(name)) continue;
      if (name !== undefined) seen.add(name);
      for (const field of fields) {
        names.add(field.name);
        visit(field.schema);
      }
      if (others) visit(others);
    }
  };
  roots.forEach(visit);
  return names;
}
