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

it('keeps what came, with all that the class does not name', () => {
  const bicycle = { own: { a: [1] }, wheels: [{ spokes: 32, maker: 'x' }], colour: null };

  expect(validate(Sale, { bicycle, unknown: 1 }).bicycle).toBe(bicycle);
  expect(validate(Sale, { bicycle: null }).bicycle).toBeNull();
});

it.each<[unknown, string]>([
  [[], 'bicycle must be an object (got an empty array)'],
  ['red', 'bicycle must be an object (got "red")'],
  [{ colour: 7 }, 'bicycle.colour must be a string (got 7)'],
  [{ wheels: [{ spokes: 32 }, { spokes: '32' }] }, 'bicycle.wheels[1].spokes must be an integer number (got "32")'],
  [{ wheels: [{}] }, 'bicycle.wheels[0].spokes is required'],
])('refuses %j, naming the place', (bicycle, sentence) => {
  expect(() => validate(Sale, { bicycle })).toThrow(sentence);
});

it('is documented as the class is', () => {
  const components = new SchemaComponents();

  expect(JSON.stringify(schemaOf(Sale, components))).toContain('"#/components/schemas/Bicycle"');
  expect(components.schemas).toHaveProperty(['Bicycle', 'properties', 'wheels']);
});
