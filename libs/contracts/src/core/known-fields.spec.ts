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
const KNOWN = declaredFields(Outer, { text: fieldsOfEach(named) });

it.each<[string, unknown, string[]]>([
  ['of nothing that is declared', { inner: { name: 'x' }, text: 'x', free: { any: { thing: 1 } } }, []],
  ['beside what is declared', { contnt: 1, inner: {} }, ['contnt']],
  ['in a nested class', { inner: { nam: 1 } }, ['inner.nam']],
  ['in each of an array', { inner: [{ name: 'x' }, { nam: 1 }] }, ['inner[1].nam']],
  ['in each value of a map', { text: { any: { a: 1, d: 2, b: { e: 3, c: 4 } } } }, ['text.any.d', 'text.any.b.e']],
  ['under a name that is no word', { 'first name': 1 }, ['["first name"]']],
  ['of a field that says nothing', { contnt: null, text: null }, ['contnt']],
  ['of no field that every object has', { inner: {}, toString: 'x', constructor: 'y' }, ['toString', 'constructor']],
  ['of what is no object', 'x', []],
])('tells %s', (_, value, paths) => {
  expect(unknownFields(KNOWN, value)).toEqual(paths);
});

it('tells of nothing in an open object but within its fields', () => {
  expect(unknownFields({ ...named, isOpen: true }, { x: 1, b: { y: 1 } }, 'to')).toEqual(['to.b.y']);
});

it('tells of what is not known in objects of that kind', () => {
  const known = { fields: new Map(), dependingOn: ({ a }: object & { a?: unknown }) => ({ ...named, isOpen: a === 1 }) };

  expect(
    unknownFields(
      known,
      [
        { a: 1, x: 1 },
        { a: 2, x: 1 },
      ],
      'to',
    ),
  ).toEqual(['to[1].x']);
});

it('tells of ten fields at most', () => {
  const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`x${n}`, 1]));
  expect(unknownFields(KNOWN, [value, value])).toHaveLength(10);
});
