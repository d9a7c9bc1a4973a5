import { numberOf, toText } from './value-text';

const DIRECTIVE = /%(?:%|(?:(\d{1,2})\$)?([-+0]{0,3})(\d{1,3})?(?:\.(\d{1,2}))?([sdifxXoeuc]))/g;

/**
 * C's formats `%s %d %i %f %x %X %o %e %u %c` with flags (`-`, `+`, `0`), width, precision and position (`%2$s`); `%%` is a
 * percent sign. Each inserted piece passes through `spend`, since an argument may be inserted repeatedly. Throws when a number
 * format has another argument; a missing argument prints nothing.
 */
export function sprintf(template: string, args: readonly unknown[], spend: (piece: string) => string): string {
  let next = 0;
  return template.replace(DIRECTIVE, (found, position?: string, flags: string = '', width?: string, precision?: string, type?: string) => {
    if (found === '%%') return '%';
    const value = position === undefined ? args[next++] : args[Number(position) - 1];
    return spend(pad(print(value, type as string, precision, flags), flags, Number(width ?? 0), type as string));
  });
}

function print(value: unknown, type: string, precision: string | undefined, flags: string) {
  if (type === 's' || type === 'c') {
    const text = toText(value) ?? '';
    return precision === undefined ? text : text.slice(0, Number(precision));
  }
  const number = numberOf(value);
  if (number === undefined) throw new Error(`needs a number for %${type}`);
  const text = printNumber(number, type, precision);
  return flags.includes('+') && number >= 0 ? `+${text}` : text;
}

function printNumber(number: number, type: string, precision: string | undefined) {
  const whole = Math.trunc(number);
  switch (type) {
    case 'f':
      return number.toFixed(Number(precision ?? 6));
    case 'e':
      return number.toExponential(precision === undefined ? undefined : Number(precision));
    case 'x':
      return whole.toString(16);
    case 'X':
      return whole.toString(16).toUpperCase();
    case 'o':
      return whole.toString(8);
    default:
      return String(whole);
  }
}

function pad(text: string, flags: string, width: number, type: string) {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || type === 's' || type === 'c') return text.padStart(width);
  const sign = /^[-+]?/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}
