import type { JsonSchema } from '@tidings/contracts/core/json-schema';
import { escapeHtml } from './html';
import { formsOf, referredName, typeOf } from './reference';

/** Most values of an enumeration that are shown. */
const VALUES_MAX = 20;

/** A schema as HTML: type with bounds, and a link to a named object. */
export function schemaHtml(schema: JsonSchema): string {
  return formsOf(schema).map(formHtml).join(' or ') || 'null';
}

function formHtml(schema: JsonSchema): string {
  const name = referredName(schema);
  if (name !== undefined) return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  if (Array.isArray(schema.enum)) return valuesHtml(schema.enum as unknown[]);
  if (schema.const !== undefined) return valuesHtml([schema.const]);
  const type = typeOf(schema) ?? 'any';
  const { items, minItems, maxItems } = schema;
  if (type === 'array') return `array of ${items ? schemaHtml(items as JsonSchema) : 'any'}${bounds(minItems, maxItems)}`;
  const { minLength, maxLength, minimum, maximum, format, default: preset } = schema;
  const words = [`${type}${bounds(minLength ?? minimum, maxLength ?? maximum, type === 'string' ? ' characters' : '')}`];
  if (typeof format === 'string') words.push(format);
  if (preset !== undefined) words.push(`default ${JSON.stringify(preset)}`);
  return escapeHtml(words.join(', '));
}

function valuesHtml(values: readonly unknown[]): string {
  const shown = values
    .filter((value) => value !== null)
    .slice(0, VALUES_MAX)
    .map((value) => `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`);
  return shown.join(' ') + (values.length > VALUES_MAX ? ' …' : '');
}

function bounds(min: unknown, max: unknown, unit = ''): string {
  if (typeof min === 'number' && typeof max === 'number') return ` (${min} to ${max}${unit})`;
  if (typeof max === 'number') return ` (at most ${max}${unit})`;
  return typeof min === 'number' ? ` (at least ${min}${unit})` : '';
}
