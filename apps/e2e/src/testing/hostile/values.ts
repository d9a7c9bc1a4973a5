import fc from 'fast-check';
import type { DescribedInterface, Schema } from './openapi-interface';
import type { ResourceIds } from './resource-ids';

/** Depth bound for recursive schemas. */
const DEPTH_MAX = 4;
const ITEMS_MAX = 3;
const TEXT_LENGTH_MAX = 20;
/** Weight of a value against null. */
const VALUE_WEIGHT = 6;

const FORMATS: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  email: () => fc.constantFrom('ada@example.com', 'grace.hopper+test@mail.example.org'),
  uuid: () => fc.uuid(),
  uri: () => fc.constantFrom('https://example.com/', 'https://example.com/hook?x=1'),
  date: () => fc.constantFrom('2031-12-31', '1999-01-01'),
  'date-time': () => fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
};

/** Valid values of fields with rules that their schema lacks. */
const BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  expires_in: ['2 days', '1.5 hrs', '5s'],
  scope: ['read:messages', 'user_id:user_id-1 read:user-tokens write:preferences', 'inbox:read:messages read:brands:b'],
  patch: [
    [{ op: 'add', path: '/nick', value: 'Ada' }],
    [
      { op: 'add', path: '/a', value: { b: [1] } },
      { op: 'copy', from: '/a/b', path: '/c' },
    ],
    [{ op: 'test', path: '/nowhere', value: 1 }],
  ],
  to: [{ email: 'ada@example.com' }, { user_id: 'user_id-1' }, { user_id: 'user_id-2', email: 'ada@example.com', name: 'Ada' }],
  content: [{ title: 'Hello {name}', body: 'Your **order** {order}' }],
};

const json = fc.jsonValue({ maxDepth: 2 });
const freeObject = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), json, { maxKeys: 3 });

/** Generates values that a schema allows; fields named like ids of existing resources use these ids. */
export class ValidValues {
  constructor(
    private readonly described: DescribedInterface,
    private readonly ids: ResourceIds,
  ) {}

  of(schema: Schema, name = '', depth = 0): fc.Arbitrary<unknown> {
    const resolved = this.described.resolved(schema);
    const { anyOf, const: only, enum: values, type, ...rules } = resolved;
    if (Array.isArray(anyOf)) return this.oneOf(anyOf as Schema[], name, depth);
    if (Array.isArray(type))
      return this.oneOf(
        type.map((one: unknown) => ({ ...resolved, type: one })),
        name,
        depth,
      );
    if (type === 'null') return fc.constant(null);
    if (only !== undefined) return fc.constant(only);
    if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
    // `to` is a time as well, the end of a range.
    if (Object.hasOwn(BY_NAME, name) && type !== 'integer') return fc.constantFrom(...BY_NAME[name]!);
    switch (type) {
      case 'object':
        return this.object(rules, depth);
      case 'array':
        return this.array(rules, name, depth);
      case 'string':
        return this.text(rules, name);
      case 'integer':
        return fc.integer({ min: numberOf(rules.minimum) ?? -5, max: numberOf(rules.maximum) ?? 100 });
      case 'number':
        return fc.double({ min: numberOf(rules.minimum) ?? -5, max: numberOf(rules.maximum) ?? 100, noNaN: true });
      case 'boolean':
        return fc.boolean();
      default:
        return json;
    }
  }

  /** Null is allowed for most fields and tests the least. */
  private oneOf(schemas: readonly Schema[], name: string, depth: number): fc.Arbitrary<unknown> {
    return fc.oneof(...schemas.map((one) => ({ weight: one.type === 'null' ? 1 : VALUE_WEIGHT, arbitrary: this.of(one, name, depth) })));
  }

  private object({ properties = {}, required = [] }: Schema, depth: number): fc.Arbitrary<unknown> {
    const fields = Object.entries(properties as Record<string, Schema>);
    if (fields.length === 0) return freeObject;
    const requiredKeys = required as string[];
    const chosen = depth < DEPTH_MAX ? fields : fields.filter(([name]) => requiredKeys.includes(name));
    const values = Object.fromEntries(chosen.map(([name, schema]) => [name, this.of(schema, name, depth + 1)]));
    // Optional fields increase refusals, so the minimal object is as likely.
    const minimal = fc.record(Object.fromEntries(Object.entries(values).filter(([name]) => requiredKeys.includes(name))));
    return fc.oneof(minimal, fc.record(values, { requiredKeys }));
  }

  private array({ items = {}, minItems, maxItems }: Schema, name: string, depth: number): fc.Arbitrary<unknown> {
    const minLength = numberOf(minItems) ?? 0;
    const maxLength = Math.max(minLength, Math.min(numberOf(maxItems) ?? ITEMS_MAX, depth < DEPTH_MAX ? ITEMS_MAX : 0));
    return fc.array(this.of(items as Schema, name, depth + 1), { minLength, maxLength });
  }

  private text({ format, pattern, minLength, maxLength }: Schema, name: string): fc.Arbitrary<unknown> {
    const ids = this.ids.forField(name);
    if (ids.length > 0) return fc.constantFrom(...ids);
    if (typeof format === 'string' && FORMATS[format]) return FORMATS[format]();
    if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
    const min = numberOf(minLength) ?? 0;
    const max = Math.max(min, Math.min(numberOf(maxLength) ?? TEXT_LENGTH_MAX, TEXT_LENGTH_MAX));
    const unit = fc.constantFrom('grapheme-ascii' as const, 'grapheme' as const);
    return unit.chain((unit) => fc.string({ unit, minLength: min, maxLength: max }));
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
