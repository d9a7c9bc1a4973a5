import { fieldNames, limitsOf, objectsOf, typeText, valuesOf } from './schema';

const schemas = {
  Node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } }, required: ['name'] },
  Headers: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};
const node = { $ref: '#/components/schemas/Node' };

it.each([
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ anyOf: [node, { type: 'null' }] }, 'Node or null'],
  [{ type: 'array', items: { anyOf: [node, { type: 'string' }] } }, 'array of Node or string'],
  [{ enum: ['a', 'b'] }, 'string'],
  [{ const: 1 }, 'number'],
  [{ type: 'null' }, 'null'],
  [{}, 'any value'],
])('says the type of %j', (schema, text) => expect(typeText(schema)).toBe(text));

it.each([
  [{ type: 'string', minLength: 1, maxLength: 9, format: 'email' }, ['1 to 9 characters', 'format email']],
  [{ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }, ['at least 1']],
  [
    { type: 'array', maxItems: 3, uniqueItems: true, items: { maxLength: 5 } },
    ['at most 3 items', 'no item twice', 'each at most 5 characters'],
  ],
  [{ type: 'string', minLength: 2, maxLength: 2, pattern: '^a' }, ['exactly 2 characters', 'pattern ^a']],
])('says the limits of %j', (schema, limits) => expect(limitsOf(schema)).toEqual(limits));

it('lists the values that are allowed, also of the items of a list', () => {
  expect(valuesOf({ anyOf: [{ enum: ['A', null] }, { type: 'null' }] })).toEqual(['A']);
  expect(valuesOf({ type: 'array', items: { enum: ['A', 'B'] } })).toEqual(['A', 'B']);
  expect(valuesOf({ const: '1.0' })).toEqual(['1.0']);
});

it('finds the objects of a value: named ones, those of lists and alternatives, and those that others extend', () => {
  const [named] = objectsOf({ type: 'array', items: node }, schemas);
  expect(named).toMatchObject({
    name: 'Node',
    fields: [
      { name: 'name', isRequired: true },
      { name: 'next', isRequired: false },
    ],
  });
  expect(objectsOf({ anyOf: [node, { type: 'string' }, { type: 'object', properties: { x: {} } }] }, schemas)).toHaveLength(2);
  expect(objectsOf({ anyOf: [node, { type: 'array', items: node }] }, schemas)).toHaveLength(1);
  const extended = { allOf: [{ $ref: '#/components/schemas/Headers' }], properties: { type: { const: 'a' } } };
  expect(objectsOf(extended, schemas)[0]!.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['id', true],
    ['type', false],
  ]);
  expect(objectsOf({ type: 'object', additionalProperties: node }, schemas)).toEqual([{ name: undefined, fields: [], others: node }]);
  expect(objectsOf({ type: 'object', additionalProperties: true }, schemas)).toEqual([]);
});

it('collects the names of all fields, of schemas that contain themselves too', () => {
  expect([...fieldNames([{ type: 'object', properties: { first: node } }], schemas)]).toEqual(['first', 'name', 'next']);
});
