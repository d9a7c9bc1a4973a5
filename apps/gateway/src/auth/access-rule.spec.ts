import { defineOperation, Nothing } from '@tidings/contracts/core/operation';
import { GetThing, Thing } from '../testing/test-operations';
import { accessRuleOf, assertAllowed } from './access-rule';
import type { Caller } from './caller';

const callerOf = (scopes: string[], isToken: boolean): Caller => ({
  workspaceId: 'w',
  scopes,
  mode: 'production',
  callId: 'c',
  keyId: 'k',
  isToken,
});
const brand = defineOperation({
  pattern: 'content.things.brand',
  route: 'GET /brands/:thing_id',
  scope: 'read:brands',
  scopedBy: 'thing_id',
  summary: 'x',
  request: GetThing,
  response: Thing,
});

describe('a scope that names one resource', () => {
  const rule = accessRuleOf(brand);

  it.each([
    [['read:brands'], 'one', true],
    [['read:brands:one'], 'one', true],
    [['read:brands:one:more'], 'one:more', true],
    [['read:brands:one'], 'two', false],
    [['read:brands:on'], 'one', false],
    [['write:brands:one'], 'one', false],
    [['read:brands:'], '', true],
    [[], 'one', false],
  ])('%j grants access to %s: %s', (scopes, thing_id, isGranted) => {
    for (const isToken of [true, false]) {
      const check = expect(() => assertAllowed(rule, callerOf(scopes, isToken), { thing_id }));
      if (isGranted) check.not.toThrow();
      else check.toThrow('The credential lacks the scope read:brands (or read:brands:<thing_id>)');
    }
  });

  it('must be in the path', () => {
    expect(() =>
      accessRuleOf(
        defineOperation({
          pattern: brand.pattern,
          route: 'GET /brands',
          scope: 'read:brands',
          scopedBy: 'thing_id' as never,
          summary: 'x',
          request: Nothing,
          response: Thing,
        }),
      ),
    ).toThrow('content.things.brand: thing_id is not in the path');
  });
});

it('refuses tokens where an operation does not name the user of the data', () => {
  const rule = accessRuleOf(defineOperation({ ...brand, scope: 'read:preferences', scopedBy: undefined }));

  expect(() => assertAllowed(rule, callerOf(['read:preferences', 'user_id:ada'], true), {})).toThrow('This needs an API key');
  expect(() => assertAllowed(rule, callerOf(['read:preferences'], false), {})).not.toThrow();
});
