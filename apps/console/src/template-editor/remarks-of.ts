import { ApiError } from '../api/client';
import type { components } from '../api/schema';
import type { Remark } from '../json-editor/remark';

/** The gateway's remarks on content: refusals of a preview or a change, and what a preview shows to its author, each once. */
export function remarksOf(preview: components['schemas']['Preview'] | undefined, ...refusals: unknown[]): Remark[] {
  const errors = [
    ...refusals.flatMap((error) => (error instanceof ApiError && error.status === 400 ? [error.message] : [])),
    ...(preview?.errors ?? []).map(({ message }) => message),
  ];
  const warnings = (preview?.results ?? []).flatMap((output) => output.warnings);
  const remarks = [
    ...errors.map((message) => ({ severity: 'error' as const, message })),
    ...warnings.map((message) => ({ severity: 'warning' as const, message })),
  ];
  return [...new Map(remarks.map((remark) => [remark.message, remark])).values()];
}
