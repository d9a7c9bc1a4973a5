import { Exclude, Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  registerDecorator,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { PatchProfile, WriteProfile } from '../identity/profiles';
import type { ServiceError } from './errors';
import { Fits } from './fits';
import type { Dto } from './operation';
import { NESTING_DEPTH_MAX } from './text';
import { validate, validatorOf } from './validator';
import { violationsOf } from './violations';

class Address {
  @IsEmail()
  email!: string;
}

class Message {
  @IsDefined()
  @ValidateNested()
  @Type(() => Address)
  to!: Address;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @MaxLength(5, { each: true })
  tags?: string[];

  @IsOptional()
  @IsObject()
  data?: Record<string, unknown>;
}

class Envelope {
  @ValidateNested()
  @Type(() => Message)
  message!: Message;
}

class Tree {
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Tree)
  children?: Tree[];
}

function refusalOf(dto: Dto, plain: unknown): string {
  try {
    validate(dto, plain);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ServiceError', code: 'invalid_request' });
    return (error as ServiceError).message;
  }
  throw new Error('It was accepted');
}

it('returns instances of the declared classes without undeclared properties', () => {
  const plain = { message: { to: { email: 'ada@example.com', extra: 1 }, tags: ['a'], more: true }, other: {} };

  const envelope = validate(Envelope, plain);

  expect(envelope).toBeInstanceOf(Envelope);
  expect(envelope.message).toBeInstanceOf(Message);
  expect(envelope.message.to).toBeInstanceOf(Address);
  expect(JSON.stringify(envelope)).toBe('{"message":{"to":{"email":"ada@example.com"},"tags":["a"]}}');
  expect(plain.message.to.extra).toBe(1);
});

it('passes free objects unchanged, whatever their keys', () => {
  const profile = { constructor: 'builder', then: 'what', nested: { toString: 1 } };
  expect(validate(WriteProfile, { user_id: 'u', profile }).profile).toBe(profile);
});

it('drops __proto__', () => {
  const request = validate(WriteProfile, JSON.parse('{"user_id":"u","profile":{},"__proto__":{"admin":true}}'));
  expect(Object.getPrototypeOf(request)).toBe(WriteProfile.prototype);
  expect('admin' in request).toBe(false);
});

it('names the path of the field and the refused value', () => {
  expect(refusalOf(Envelope, { message: { to: { email: 'no-address' } } })).toBe('message.to.email must be an email (got "no-address")');
  expect(
    refusalOf(PatchProfile, {
      user_id: 'u',
      patch: [
        { op: 'test', path: '/a' },
        { op: 'add', path: '' },
        { op: 'delete', path: '/a' },
      ],
    }),
  ).toBe('patch[2].op must be one of add, remove, replace, move, copy, test (got "delete")');
  expect(refusalOf(Envelope, { message: { to: { email: 'a@b.co' }, tags: ['short', 'too long'] } })).toBe(
    'message.tags[1] must be shorter than or equal to 5 characters (got "too long")',
  );
  expect(refusalOf(Envelope, { message: { to: { email: 'a@b.co' }, data: ['a', 'b'] } })).toBe(
    'message.data must be an object (got an array of 2)',
  );
});

it('names missing fields', () => {
  expect(refusalOf(Envelope, { message: {} })).toBe('message.to is required');
  expect(refusalOf(Envelope, { message: { to: {} } })).toBe('message.to.email is required');
  expect(refusalOf(Envelope, { message: { to: null } })).toBe('message.to must be an object (got null)');
});

it('requires a value where only IsDefined refuses null', () => {
  class Named {
    @IsDefined()
    @IsIn(['a', null])
    name!: string | null;
  }

  expect(violationsOf(Named, { name: null })).toEqual(['name must be given (got null)']);
});

it.each([undefined, null, 'text', 7, [{}]])('requires an object instead of %p', (plain) => {
  expect(refusalOf(Envelope, plain)).toMatch(/^The request (is required|must be an object)/);
});

it('accepts an array exactly where one is declared', () => {
  expect(refusalOf(PatchProfile, { user_id: 'u', patch: { op: 'add', path: '/a' } })).toBe('patch must be an array (got an object)');
  expect(refusalOf(PatchProfile, { user_id: 'u', patch: [[{ op: 'add', path: '/a' }]] })).toBe(
    'patch[0] must be an object (got an array of 1)',
  );
  expect(refusalOf(Envelope, { message: [{ to: { email: 'a@b.co' } }] })).toBe('message must be an object (got an array of 1)');
});

it('names three violations at most, and shortens long values', () => {
  const message = refusalOf(PatchProfile, {
    user_id: 'u',
    patch: Array.from({ length: 900 }, () => ({ op: 'x'.repeat(1_000_000), path: 1 })),
  });
  expect(message.split('; ')).toHaveLength(3);
  expect(message).toContain('patch[0].op must be one of');
  expect(message).toContain('patch[1].op must be one of');
  expect(message.length).toBeLessThan(1_000);
});

it('does not repeat values of secret fields', () => {
  class Login {
    @IsString()
    @MaxLength(5)
    password!: string;
  }
  expect(refusalOf(Login, { password: 'hunter2' })).toBe(
    'password must be shorter than or equal to 5 characters (got a value not shown here)',
  );
});

it('checks the topmost decorator first, stops at a violation, and uses the message of the contract', () => {
  let calls = 0;
  const validator = { validate: () => ((calls += 1), false) };
  const Dotted: PropertyDecorator = (target, name) =>
    registerDecorator({ target: target.constructor, propertyName: name as string, validator, options: { message: 'list ids have dots' } });
  class ListId {
    @IsString()
    @Length(1, 10)
    @Dotted
    id!: string;
  }

  expect(refusalOf(ListId, { id: 'x'.repeat(50) })).toMatch(/^id must be shorter than or equal to 10 characters \(got "x+"\)$/);
  expect(calls).toBe(0);
  expect(refusalOf(ListId, { id: 'a' })).toBe('id: list ids have dots (got "a")');
  expect(calls).toBeGreaterThan(0);
});

it('limits the nesting of classes that contain themselves', () => {
  const nested = (levels: number): object => JSON.parse(`${'{"children":['.repeat(levels)}{}${']}'.repeat(levels)}`) as object;
  expect(validate(Tree, nested(NESTING_DEPTH_MAX))).toBeInstanceOf(Tree);
  expect(refusalOf(Tree, nested(NESTING_DEPTH_MAX + 1))).toMatch(/children\[0\] is nested deeper than 64 levels$/);
  expect(refusalOf(Tree, nested(100_000))).toMatch(/is nested deeper than 64 levels$/);
});

it('refuses a large request with one bad element without slowing down', () => {
  const children = Array.from({ length: 100_000 }, () => ({}));
  expect(refusalOf(Tree, { children: [...children, 1] })).toBe('children[100000] must be an object (got 1)');
});

it('converts by the decorators, and refuses values that cannot be converted', () => {
  class Query {
    @IsOptional()
    @IsInt()
    limit = 20;

    @IsOptional()
    @Transform(({ value }: { value: unknown }) => (value as string).trim())
    @IsString()
    @IsIn(['a'])
    text?: string;

    @IsOptional()
    @Transform(({ value }: { value: unknown }) => (value as string).trim())
    anything?: unknown;
  }
  expect(validate(Query, { limit: 5, text: ' a ' })).toEqual({ limit: 5, text: 'a' });
  expect(validate(Query, {})).toEqual({ limit: 20 });
  expect(refusalOf(Query, { text: 5 })).toBe('text must be a string (got 5)');
  expect(refusalOf(Query, { text: ' as sent ' })).toBe('text must be one of a (got " as sent ")');
  expect(refusalOf(Query, { anything: 5 })).toBe('The request cannot be read');
});

it('refuses at once a class that cannot be compiled, also where it is nested', () => {
  class Grouped {
    @IsString({ groups: ['unused'] })
    name!: string;
  }
  class Excluding {
    @Exclude()
    @IsOptional()
    @IsString()
    hidden?: string;
  }
  class Converting {
    @Type(() => Number)
    @IsInt()
    limit!: number;
  }
  class Choosing {
    @ValidateNested()
    @Type((options) => (options?.property === 'to' ? Address : Message))
    to!: Address;
  }
  class Conditional {
    @ValidateIf(() => true)
    @IsString()
    name!: string;
  }
  class Depending {
    @IsInt({ validateIf: () => true })
    limit!: number;
  }
  class Around {
    @ValidateNested()
    @Type(() => Grouped)
    grouped!: Grouped;
  }
  class Fitting {
    @Fits(Around)
    around!: Around;
  }
  expect(() => validatorOf(Grouped)).toThrow('Grouped.name has validation groups, which cannot be compiled');
  expect(() => validatorOf(Excluding)).toThrow('Excluding has @Expose or @Exclude, which cannot be compiled');
  expect(() => validatorOf(Converting)).toThrow('Converting.limit has the @Type of a primitive, which cannot be compiled');
  expect(() => validatorOf(Choosing)).toThrow('Choosing.to has a @Type chosen by the value, which cannot be compiled');
  expect(() => validatorOf(Conditional)).toThrow('Conditional.name has a condition, which cannot be compiled');
  expect(() => validatorOf(Depending)).toThrow('Depending.limit has a condition, which cannot be compiled');
  expect(() => validatorOf(Around)).toThrow('Grouped.name has validation groups');
  expect(() => validatorOf(Fitting)).toThrow('Grouped.name has validation groups');
});

it('refuses declarations that would let unchecked objects through', () => {
  class Untyped {
    @ValidateNested()
    to!: Address;
  }
  class Unchecked {
    @IsObject()
    @Type(() => Address)
    to!: Address;
  }
  expect(() => validatorOf(Untyped)).toThrow('Untyped.to is @ValidateNested without the @Type of a class');
  expect(() => validatorOf(Unchecked)).toThrow('Unchecked.to has the @Type of a class and must be @ValidateNested');
});
