import { IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { declaredFields, fieldsOfEach, namedFields, unknownFields } from './known-fields';

class Inner {
  @IsString()
  name!: string;
}

class Outer {
  @ValidateNested()
  @Type(() => Inner)
  inner!: Inner;

  @IsString()
  text!: string;

  @IsString()
  free!: object;
}

const named = namedFields('a b', { b: namedFields('c') });
const KNOWN_FIELDS = declaredFields(Outer, { text: fieldsOfEach(named) });

it.each<[string, unknown, string[]]>([
  ['no declared field', { inner: { name: 'x' }, text: 'x', free: { any: { thing: 1 } } }, []],
  ['a field beside declared ones', { contnt: 1, inner: {} }, ['contnt']],
  ['a field of a nested class', { inner: { nam: 1 } }, ['inner.nam']],
  ['a field of an array element', { inner: [{ name: 'x' }, { nam: 1 }] }, ['inner[1].nam']],
  ['fields of each value of a map', { text: { any: { a: 1, d: 2, b: { e: 3, c: 4 } } } }, ['text.any.d', 'text.any.b.e']],
  ['a field whose name is no word', { 'first name': 1 }, ['["first name"]']],
  ['a field that is null', { contnt: null, text: null }, ['contnt']],
  ['fields with names that every object inherits', { inner: {}, toString: 'x', constructor: 'y' }, ['toString', 'constructor']],
  ['nothing of a text', 'x', []],
])('reports %s', (_, value, paths) => {
  expect(unknownFields(KNOWN_FIELDS, value)).toEqual(paths);
});

it('reports in an open object only unknown fields of its known fields', () => {
  expect(unknownFields({ ...named, isOpen: true }, { x: 1, b: { y: 1 } }, 'to')).toEqual(['to.b.y']);
});

it('reports unknown fields by the fields that depend on the object', () => {
  const knownFields = { fields: new Map(), dependingOn: ({ a }: object & { a?: unknown }) => ({ ...named, isOpen: a === 1 }) };

  expect(
    unknownFields(
      knownFields,
      [
        { a: 1, x: 1 },
        { a: 2, x: 1 },
      ],
      'to',
    ),
  ).toEqual(['to[1].x']);
});

it('reports ten fields at most', () => {
  const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`x${n}`, 1]));
  expect(unknownFields(KNOWN_FIELDS, [value, value])).toHaveLength(10);
});
