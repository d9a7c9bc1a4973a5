import { IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsObject, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { defineOperation, Nothing } from '@tidings/contracts/core/operation';

export class GetThing {
  @IsString()
  @Length(1, 512)
  thing_id!: string;
}

export class PageThings {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;

  @IsOptional()
  @IsNumber()
  ratio?: number;

  @IsOptional()
  @IsBoolean()
  archived?: boolean;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  status?: string[];

  @IsOptional()
  @IsString()
  @MaxLength(100)
  cursor?: string;
}

export class WriteThing extends GetThing {
  @IsOptional()
  @IsString()
  name?: string | null;

  @IsOptional()
  @IsIn(['draft', 'published'])
  version?: string;

  @IsOptional()
  @IsObject()
  data?: Record<string, unknown>;
}

export class PutTokens extends GetThing {
  @IsOptional()
  tokens?: unknown;
}

export class PutPoem extends GetThing {
  @IsString()
  poem!: string;
}

export class Poem {
  @IsString()
  poem!: string;
}

export class Token extends GetThing {
  @IsString()
  token!: string;
}

export class Thing {
  @IsString()
  name!: string;
}

/** Operations that cover every form of a request. */
export const things = {
  page: defineOperation({
    pattern: 'content.things.page',
    route: 'GET /things',
    scope: 'read:things',
    summary: 'List things',
    request: PageThings,
    response: Thing,
  }),
  latest: defineOperation({
    pattern: 'content.things.latest',
    route: 'GET /things/latest',
    scope: 'read:things',
    summary: 'A literal beside a parameter',
    request: Nothing,
    response: Thing,
  }),
  get: defineOperation({
    pattern: 'content.things.get',
    route: 'GET /things/:thing_id',
    scope: 'read:things',
    summary: 'Get a thing',
    request: GetThing,
    response: Thing,
  }),
  put: defineOperation({
    pattern: 'content.things.put',
    route: 'PUT /things/:thing_id',
    scope: 'write:things',
    summary: 'Write a thing',
    request: WriteThing,
    response: Thing,
    query: ['version'],
    audit: 'list:replaced',
  }),
  remove: defineOperation({
    pattern: 'content.things.remove',
    route: 'DELETE /things/:thing_id',
    status: 204,
    scope: 'write:things',
    summary: 'Delete a thing',
    request: GetThing,
    response: Nothing,
  }),
  archive: defineOperation({
    pattern: 'content.things.archive',
    route: 'POST /things/:thing_id/archive',
    status: 202,
    scope: 'write:things',
    summary: 'Answers without a body, with another status than 204',
    request: GetThing,
    response: Nothing,
  }),
  putTokens: defineOperation({
    pattern: 'content.things.put-tokens',
    route: 'PUT /things/:thing_id/tokens',
    scope: 'write:things',
    summary: 'Accepts the whole body',
    request: PutTokens,
    response: Thing,
    bodyField: 'tokens',
  }),
  putPoem: defineOperation({
    pattern: 'content.things.put-poem',
    route: 'PUT /things/:thing_id/poem',
    scope: 'write:things',
    summary: 'Accepts a text, and answers with one',
    request: PutPoem,
    response: Poem,
    bodyField: 'poem',
    textBody: true,
    textAnswer: 'poem',
  }),
  getToken: defineOperation({
    pattern: 'content.things.get-token',
    route: 'GET /things/:thing_id/tokens/*token',
    scope: 'read:things',
    summary: 'Accepts the rest of the path',
    request: Token,
    response: Thing,
  }),
};
