import { IsObject, IsOptional, IsString } from 'class-validator';
import { defineOperation, Nothing, type OperationDefinition } from './operation';
import { requestParts } from './request-parts';

class Subscribe {
  @IsString()
  list_id!: string;

  @IsString()
  user_id!: string;

  @IsOptional()
  @IsString()
  tenant_id?: string;

  @IsOptional()
  @IsObject()
  preferences?: object;
}

const partsOf = (more: Partial<OperationDefinition<Subscribe, Nothing>>): unknown =>
  requestParts(
    defineOperation({
      pattern: 'audience.lists.subscribe',
      scope: 'write:lists',
      summary: '',
      request: Subscribe,
      response: Nothing,
      ...more,
    }),
  );

it('reads names in the path from the path and, with a body, other fields from the body', () => {
  expect(partsOf({ route: 'PUT /lists/:list_id/subscriptions/*user_id' })).toEqual({
    path: ['list_id', 'user_id'],
    query: [],
    body: ['tenant_id', 'preferences'],
  });
});

it.each(['GET', 'DELETE'] as const)('reads the other fields of a %s from the query', (method) => {
  expect(partsOf({ route: `${method} /lists/:list_id/subscriptions/:user_id` })).toMatchObject({
    query: ['tenant_id', 'preferences'],
    body: [],
  });
});

it('reads the fields named in `query` from the query', () => {
  expect(partsOf({ route: 'POST /lists/:list_id/:user_id', query: ['tenant_id'] })).toMatchObject({
    query: ['tenant_id'],
    body: ['preferences'],
  });
});

it('makes the whole body one field, and refuses fields without a source', () => {
  const route = 'PUT /lists/:list_id/:user_id';
  expect(partsOf({ route, query: ['tenant_id'], bodyField: 'preferences' })).toMatchObject({
    query: ['tenant_id'],
    body: [],
    bodyField: 'preferences',
  });
  expect(() => partsOf({ route, bodyField: 'preferences' })).toThrow('preferences is the whole body, which leaves no source for tenant_id');
  expect(() => partsOf({ route: 'GET /lists/:list_id', bodyField: 'preferences' })).toThrow('a GET has no body');
});

it('makes a body that is an array one of the fields of the body', () => {
  const route = 'PUT /lists/:list_id/:user_id';
  expect(partsOf({ route, bareArray: 'preferences' })).toMatchObject({ body: ['tenant_id', 'preferences'], bareArray: 'preferences' });
  expect(() => partsOf({ route, bareArray: 'list_id' })).toThrow('list_id is no field of the body');
  expect(() => partsOf({ route: 'GET /lists/:list_id', bareArray: 'preferences' })).toThrow('a GET has no body');
});
