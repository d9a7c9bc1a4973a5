import { texts } from './texts';

/** The object that a text has as JSON, or why it has none. */
export function parseObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: texts.notJson(texts.notObject) };
    return { value: value as Record<string, unknown> };
  } catch (error) {
    return { problem: texts.notJson((error as Error).message) };
  }
}
