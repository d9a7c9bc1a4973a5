import { type AnyOperation, requestParts } from '@tidings/contracts/core/request-parts';
import { namesIn } from './query';

/** Response header for warnings about ignored input. */
export const WARNING_HEADER = 'x-tidings-warning';

const NAMES_SHOWN_MAX = 5;
const NAME_LENGTH_SHOWN_MAX = 60;

/** Returns the warning about unknown query parameters of a request target; undefined without any. */
export function queryWarning(operation: AnyOperation): (url: string) => string | undefined {
  const { query } = requestParts(operation);
  const accepted = query.length > 0 ? `it knows ${query.join(', ')}` : 'it knows none';
  return (url) => {
    if (!url.includes('?')) return undefined;
    const unknown = [...new Set(namesIn(url))].filter((name) => !query.includes(name));
    if (unknown.length === 0) return undefined;
    const more = unknown.length > NAMES_SHOWN_MAX ? ` and ${unknown.length - NAMES_SHOWN_MAX} more` : '';
    return `Unknown query parameters were ignored: ${unknown.slice(0, NAMES_SHOWN_MAX).map(shown).join(', ')}${more} (${accepted})`;
  };
}

/** The warning about unknown fields of a body; `paths` is not empty. */
export function fieldsWarning(paths: readonly string[]): string {
  return `Unknown fields were ignored: ${paths.map(shown).join(', ')}`;
}

/** Quotes a name in ASCII, as headers require. */
function shown(name: string): string {
  const text = JSON.stringify(name.slice(0, NAME_LENGTH_SHOWN_MAX));
  return text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
