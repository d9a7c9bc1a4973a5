import type { BrandDraft } from './queries';

/** The notations of colours that the interface accepts, besides names. */
const NOTATION = /^(?:#[0-9a-f]+|(?:rgb|hsl)a?\([^()]+\)|[a-z]+)$/i;

const isColor = (text: string) => text === '' || (NOTATION.test(text.trim()) && CSS.supports('color', text.trim()));

/** A draft as a preview takes it, while it is written: without colours that are not complete yet, and with some name. */
export function previewable({ name, settings, ...rest }: BrandDraft): BrandDraft {
  return { ...rest, name: name || '-', settings: withoutWrongColors(settings, false) as BrandDraft['settings'] };
}

function withoutWrongColors(value: unknown, isOfColor: boolean): unknown {
  if (typeof value === 'string') return isOfColor && !isColor(value) ? undefined : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).map(([name, one]) => [name, withoutWrongColors(one, isOfColor || /color/i.test(name))] as const);
  return Object.fromEntries(fields);
}
