import type { HistoryEvent } from './queries';

/** A field of an event as text; undefined where it has none. */
export function textOf(event: HistoryEvent, name: string): string | undefined {
  const value = event[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A field of an event as a time in ms since the epoch; undefined where it is none. */
export function instantOf(event: HistoryEvent, name: string): number | undefined {
  const value = event[name];
  const ms = typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** A field of an event as an object with fields; empty where it has none. */
export function objectOf(event: HistoryEvent, name: string): Readonly<Record<string, unknown>> {
  const value = event[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function textsOf(event: HistoryEvent, name: string): string[] {
  const value = event[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Channel and provider of an event, for people: `email · smtp`. */
export function routeOf(event: HistoryEvent): string {
  const words = [objectOf(event, 'channel').id, objectOf(event, 'integration').provider];
  return words.filter((word) => typeof word === 'string').join(' · ');
}

/** A rendering of a message: its channel, and the address of each part that it has. */
export interface Rendering {
  name: string;
  parts: Readonly<Partial<Record<PartName, string>>>;
}
export type PartName = (typeof PART_NAMES)[number];
export const PART_NAMES = ['html', 'subject', 'title', 'body', 'text', 'blocks'] as const;

/** Addresses that the console shows in a frame: parts of a message, of this gateway. */
const PART_ADDRESS = /^\/messages\/[^/?#]+\/output\/[^/?#]+\/[a-z]+$/;

/** The renderings in their order. */
export function renderingsOf(history: readonly HistoryEvent[]): Rendering[] {
  return history
    .filter(({ type }) => type === 'RENDERED')
    .map((event) => {
      const output = objectOf(event, 'output');
      const found = PART_NAMES.flatMap((part) => {
        const address = output[part];
        return typeof address === 'string' && PART_ADDRESS.test(address) ? [[part, address]] : [];
      });
      return { name: routeOf(event), parts: Object.fromEntries(found) as Rendering['parts'] };
    });
}
