import { shapeOf } from './core/shape';
import { TOKEN_SCOPES, USER_BOUND_SCOPES } from './identity/issued-tokens';
import { isPermission } from './core/operation';
import { operations } from './registry';
import { hasScope } from './core/granted';
import { assertKeyScopes, firstNotGranted, KEY_SCOPES, parseTokenScopes } from './scopes';

describe('the scopes of a token', () => {
  it('are parsed in order, without duplicates', () => {
    expect(parseTokenScopes('user_id:a user_id:b:c  read:messages user_id:a read:brands:one ')).toEqual([
      'user_id:a',
      'user_id:b:c',
      'read:messages',
      'read:brands:one',
    ]);
  });

  it.each(['everything', 'read:profiles', 'write:send', '*', 'read:brands:', 'read:messages:one', 'toString', 'read:messages,user_id:a'])(
    'are refused, naming the unknown scope: %s',
    (scope) => {
      expect(() => parseTokenScopes(`user_id:a ${scope}`)).toThrow(`scope ${JSON.stringify(scope)} does not exist`);
    },
  );

  it('need an id after user_id:, and a scope beside it', () => {
    expect(() => parseTokenScopes('user_id: read:messages')).toThrow('without a user id');
    for (const scope of ['user_id:a', 'user_id:ada,read:messages', '', ' ']) {
      expect(() => parseTokenScopes(scope)).toThrow(
        'must allow something beside user_id:<id>, separated by blanks; there is read:messages',
      );
    }
  });
});

describe('the scopes of an API key', () => {
  it('include the scope of every route', () => {
    for (const { scope } of operations) if (isPermission(scope)) expect(() => assertKeyScopes([scope])).not.toThrow();
    expect(KEY_SCOPES).toEqual(expect.arrayContaining([...TOKEN_SCOPES]));
    expect(() => assertKeyScopes(['*', 'read:brands:one'])).not.toThrow();
  });

  it.each(['internal', 'any', 'none', 'read:everything', 'user_id:a'])('are not %s', (scope) => {
    expect(() => assertKeyScopes([scope])).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it('may limit sends, but not beside what allows any send', () => {
    expect(() => assertKeyScopes(['write:send:stored', 'write:bulk'])).not.toThrow();
    for (const wider of ['*', 'write:send']) {
      expect(() => assertKeyScopes(['write:send:stored', wider])).toThrow(`scope write:send:stored limits the key, and ${wider} does not`);
    }
    expect(hasScope(['write:send:stored'], 'write:send')).toBe(true);
    expect(hasScope(['write:send:stored'], 'write:bulk')).toBe(false);
  });

  it('limit the scopes of the tokens it issues', () => {
    expect(firstNotGranted(['user_id:a', 'read:messages', 'read:brands:one'], ['*'])).toBeUndefined();
    expect(firstNotGranted(['user_id:a', 'read:brands:one'], ['read:brands'])).toBeUndefined();
    expect(firstNotGranted(['read:brands'], ['read:brands:one'])).toBe('read:brands');
    expect(firstNotGranted(['read:brands:two'], ['read:brands:one'])).toBe('read:brands:two');
    expect(firstNotGranted(['write:send:stored'], ['write:send'])).toBeUndefined();
    expect(firstNotGranted(['write:send'], ['write:send:stored'])).toBe('write:send');
  });
});

it('every route with a user-bound scope names the user whose data it serves', () => {
  const withoutUser = operations.filter(
    ({ scope, ofUser, ofUserAnswered }) => USER_BOUND_SCOPES.has(scope) && ofUser === undefined && ofUserAnswered === undefined,
  );
  expect(withoutUser.map(({ pattern }) => pattern)).toEqual([]);
});

it('every route that names a user or a narrower scope names a field of its request', () => {
  for (const { pattern, scope, scopedBy, pathParameters, ofUser, ofUserAnswered, request } of operations) {
    if (ofUser !== undefined)
      expect([pattern, shapeOf(request).map(({ name }) => name)]).toEqual([pattern, expect.arrayContaining([ofUser])]);
    if (scopedBy !== undefined) expect([pattern, pathParameters]).toEqual([pattern, expect.arrayContaining([scopedBy])]);
    if (scopedBy !== undefined) expect(['read:brands', 'write:brands']).toContain(scope);
    if (ofUserAnswered) expect(operations.map((operation) => operation.pattern)).toContain(ofUserAnswered.by);
  }
});
