/** Maximum characters of a text that a condition builds. */
const TEXT_CHARS_MAX = 100_000;

type Binary = (left: unknown, right: unknown) => unknown;
type Scalar = string | number | boolean | null | undefined;

/** Rejects objects, since JavaScript would call their methods to compare or add them. */
function scalar(value: unknown) {
  if (typeof value === 'object' && value !== null) throw new Error('an object is neither a number nor a text');
  return value as Scalar;
}

function numbers(operation: (a: number, b: number) => number): Binary {
  return (left, right) => operation(Number(scalar(left)), Number(scalar(right)));
}

/** Compares as JavaScript does: two texts as texts, otherwise as numbers. */
function ordered(operation: (a: string | number, b: string | number) => boolean): Binary {
  return (left, right) => {
    const [a, b] = [scalar(left), scalar(right)];
    return typeof a === 'string' && typeof b === 'string' ? operation(a, b) : operation(Number(a), Number(b));
  };
}

function add(left: unknown, right: unknown) {
  const [a, b] = [scalar(left), scalar(right)];
  if (typeof a !== 'string' && typeof b !== 'string') return Number(a) + Number(b);
  const text = `${a}${b}`;
  if (text.length > TEXT_CHARS_MAX) throw new Error(`it makes a text of more than ${TEXT_CHARS_MAX} characters`);
  return text;
}

/** `==` treats null and undefined as equal; otherwise it is `===`. */
function looselyEqual(left: unknown, right: unknown) {
  return (left ?? null) === (right ?? null);
}

export const binaryOperators = new Map<string, Binary>([
  ['===', (left, right) => left === right],
  ['!==', (left, right) => left !== right],
  ['==', looselyEqual],
  ['!=', (left, right) => !looselyEqual(left, right)],
  ['<', ordered((a, b) => a < b)],
  ['<=', ordered((a, b) => a <= b)],
  ['>', ordered((a, b) => a > b)],
  ['>=', ordered((a, b) => a >= b)],
  ['+', add],
  ['-', numbers((a, b) => a - b)],
  ['*', numbers((a, b) => a * b)],
  ['/', numbers((a, b) => a / b)],
  ['%', numbers((a, b) => a % b)],
]);

export const unaryOperators = new Map<string, (value: unknown) => unknown>([
  ['!', (value) => !value],
  ['-', (value) => -Number(scalar(value))],
  ['+', (value) => Number(scalar(value))],
]);

/** Methods of texts; `includes` also of lists. */
export const methods = new Map<string, Binary>([
  ['includes', (on, argument) => (Array.isArray(on) ? on.includes(argument) : text(on).includes(text(argument)))],
  ['startsWith', (on, argument) => text(on).startsWith(text(argument))],
  ['endsWith', (on, argument) => text(on).endsWith(text(argument))],
]);

function text(value: unknown) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new Error('includes, startsWith and endsWith need a text (includes also a list)');
}
