import { Type } from 'class-transformer';
import { IsArray, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Fits } from './fits';
import { SchemaComponents, schemaOf } from './json-schema';
import { validate } from './validator';

class Wheel {
  @IsInt()
  spokes!: number;
}

class Bicycle {
  @IsOptional()
  @IsString()
  colour?: string | null;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Wheel)
  wheels?: Wheel[];
}

class Sale {
  @IsOptional()
  @Fits(Bicycle)
  bicycle?: Bicycle | null;
}

it('leaves the value unchanged, undeclared fields included', () => {
  const bicycle = { own: { a: [1] }, wheels: [{ spokes: 32, maker: 'x' }], colour: null };

  expect(validate(Sale, { bicycle, unknown: 1 }).bicycle).toBe(bicycle);
  expect(validate(Sale, { bicycle: null }).bicycle).toBeNull();
});

class Garage {
  @Fits(Bicycle, { each: true })
  bicycles!: Bicycle | Bicycle[];
}

it('checks a single object, or each of an array', () => {
  const red = { colour: 'red', own: 1 };

  expect(validate(Garage, { bicycles: red }).bicycles).toBe(red);
  expect(validate(Garage, { bicycles: [red, {}] }).bicycles).toEqual([red, {}]);
  expect(() => validate(Garage, { bicycles: [red, { colour: 7 }] })).toThrow('bicycles[1].colour must be a string (got 7)');
  expect(() => validate(Garage, {})).toThrow('bicycles is required');

  const bicycle = { $ref: '#/components/schemas/Bicycle' };
  expect(schemaOf(Garage, new SchemaComponents())).toEqual({
    type: 'object',
    properties: { bicycles: { anyOf: [bicycle, { type: 'array', items: bicycle }] } },
    required: ['bicycles'],
  });
});

it.each<[unknown, string]>([
  [[], 'bicycle must be an object (got an empty array)'],
  ['red', 'bicycle must be an object (got "red")'],
  [{ colour: 7 }, 'bicycle.colour must be a string (got 7)'],
  [{ wheels: [{ spokes: 32 }, { spokes: '32' }] }, 'bicycle.wheels[1].spokes must be an integer number (got "32")'],
  [{ wheels: [{}] }, 'bicycle.wheels[0].spokes is required'],
])('refuses %j, naming the path', (bicycle, sentence) => {
  expect(() => validate(Sale, { bicycle })).toThrow(sentence);
});

it('is documented like the class', () => {
  const components = new SchemaComponents();

  expect(JSON.stringify(schemaOf(Sale, components))).toContain('"#/components/schemas/Bicycle"');
  expect(components.schemas).toHaveProperty(['Bicycle', 'properties', 'wheels']);
});
