import { RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import { compileExpression, expressionProblem } from './expression';
import { EXPRESSION_CHARS_MAX } from './compile-source';
import { LOOP_ITEMS_MAX, loopItems } from './loop-items';

function scopeOf(more: RenderScope = {}): RenderScope & { warnings: string[] } {
  return {
    data: {
      n: 3,
      s: 'text',
      yes: true,
      none: null,
      list: ['a', 'b'],
      user: { plan: 'pro', 'the key': 1 },
      orders: [{ lines: [1, 2] }, { lines: [3] }],
    },
    profile: { email: 'jane@example.org' },
    tenant: { name: 'ACME' },
    refs: { header: { visible: true } },
    item: { sku: 'p' },
    index: 1,
    warnings: [],
    ...more,
  };
}

describe('a condition', () => {
  it.each([
    ['data.n === 3', true],
    ['data.n == 3 && data.s != "x"', true],
    ['{{ data.n > 2 }}', true],
    ['{{data.n}} ', true],
    ['${data.n >= 4}', false],
    ['n + 1 == 4 && n - 1 == 2 && n * 2 == 6 && n / 2 == 1.5 && n % 2 == 1', true],
    ['data.s + "!" === "text!"', true],
    ['data.n === "3"', false],
    ['data.n == "3"', false],
    ['data.missing == null', true],
    ['data.none == undefined', true],
    ['data.none === undefined', false],
    ['data.missing', false],
    ['!data.missing', true],
    ['data.missing || data.yes', true],
    ['data.missing ?? data.yes', true],
    ['data.yes ? data.n < 3 : true', false],
    ['-data.n < 0 && +"3" === data.n', true],
    ['data.list.length == 2 && data.s.length == 4', true],
    ['data.list[1] === "b" && data["user"].plan === "pro" && data.user["the key"] === 1', true],
    ['data.list.includes("a") && !data.list.includes("z") && data.s.includes("ex")', true],
    ['["pro", "max"].includes(data.user.plan)', true],
    ['profile.email.endsWith("@example.org") && profile.email.startsWith("jane")', true],
    ['tenant.name == "ACME" && refs.header.visible', true],
    ['$.item.sku == "p" && $.index == 1 && $.data.n == 3', true],
    ['data.missing?.deep == null', true],
    ['data.n > "2"', true],
    ['"b" > "a"', true],
  ])('%s is %s', (source, expected) => {
    const scope = scopeOf();
    expect(compileExpression(source)(scope)).toBe(expected);
    expect(scope.warnings).toEqual([]);
  });

  it.each([
    'data.missing.deep == 1',
    'data.none.deep',
    'data.n = 4',
    'data.n == 3; data.yes',
    'data.n == 3, data.yes',
    'data.n ==',
    '(',
    '',
    'this',
    'data.s.constructor("x")',
    'data.s["constructor"]["constructor"]("return process")()',
    '"".constructor.constructor("return 1")()',
    'data.list.map(x => x)',
    'data.list.push("c")',
    'data.s.repeat(1e9)',
    'data.s.match(/(a+)+$/)',
    'process.exit()',
    'require("fs")',
    'globalThis.process',
    'eval("1")',
    'new Date()',
    'typeof data',
    'data.n++',
    '`${data.n}`',
    'data.s.includes("a", 1)',
    'data.user < 1',
    'data[data.user]',
    '~data.n',
    'data.n | 1',
    'data.n ** 2 == 9',
    '((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))'.repeat(40),
    `${'!'.repeat(1_500)}data.yes`,
    `${'data.yes ? '.repeat(150)}1${' : 0'.repeat(150)}`,
    `${'-'.repeat(1_900)}1`,
    `data${'.a'.repeat(900)}`,
    `data.s${' + data.s'.repeat(190)}`,
    'x'.repeat(EXPRESSION_CHARS_MAX + 1),
  ])('of any other syntax is false and never an error: %j', (source) => {
    const scope = scopeOf();
    expect(compileExpression(source)(scope)).toBe(false);
    expect(scope.warnings).toEqual([expect.stringMatching(/^The condition .* counts as false: /)]);
  });

  it('reads own properties only', () => {
    const data = JSON.parse('{"__proto__":{"x":1},"o":{"constructor":1}}') as object;
    for (const source of [
      'data.__proto__',
      'data["__proto__"]',
      'data.constructor',
      'data.toString',
      'o.constructor',
      'o["constructor"]',
      'data.list.push',
      'data.list.includes',
      'profile.email.includes',
      '$.constructor',
    ]) {
      expect(compileExpression(source)(scopeOf({ data }))).toBe(false);
    }
    expect(compileExpression('__proto__.x || constructor.name')(scopeOf({ data }))).toBe(false);
  });

  it('reports its syntax error before it is used', () => {
    expect(expressionProblem('data.a == 1')).toBeUndefined();
    expect(expressionProblem('a b')).toMatch(/cannot be read: it is more than one expression/);
    expect(expressionProblem('{{ }}')).toMatch(/cannot be read: it is empty/);
  });

  it('spends from the budget, and does not hide a spent one', () => {
    const scope = scopeOf({ data: { big: 'x'.repeat(100_000) }, budget: new RenderBudget(3_000) });
    const condition = compileExpression('data.big.includes("y")');
    expect(condition(scope)).toBe(false);
    expect(() => condition(scope)).toThrow(/steps/);
  });
});

describe('a loop', () => {
  it.each([
    ['data.list', ['a', 'b']],
    ['list', ['a', 'b']],
    ['{{list}}', ['a', 'b']],
    ['{{ data.list }}', ['a', 'b']],
    ['{list}', ['a', 'b']],
    ['$.data.list[*]', ['a', 'b']],
    ['data.list[0:1]', ['a']],
    ['data.orders[*].lines[*]', [1, 2, 3]],
    ['orders[-1].lines', [3]],
  ])('over %s goes over %j', (source, expected) => {
    expect(loopItems(source, scopeOf())).toEqual(expected);
  });

  it.each(['data.n', 'data.missing', 'data.s', 'a b', '', 'data.user', 'constructor', '{{#each list}}'])(
    'over %j has no items and a warning',
    (source) => {
      const scope = scopeOf();
      expect(loopItems(source, scope)).toEqual([]);
      expect(scope.warnings).toHaveLength(1);
    },
  );

  it('has a bound', () => {
    expect(() => loopItems('l', { data: { l: new Array(LOOP_ITEMS_MAX + 1).fill(0) } })).toThrow(/at most 10000 items/);
  });
});
