import { texts } from '../texts';

/** The profile that a text has as JSON, or why it has none. */
export function parseProfile(text: string): { profile: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: texts.user.notJson(texts.user.notObject) };
    return { profile: value as Record<string, unknown> };
  } catch (error) {
    return { problem: texts.user.notJson((error as Error).message) };
  }
}
