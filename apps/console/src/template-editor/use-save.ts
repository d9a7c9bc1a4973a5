import { useMutation } from '@tanstack/react-query';
import { answerOf, api, ApiError } from '../api/client';

/** What is stored, if the template has not changed since the version with `etag`. */
interface Save {
  text: string;
  etag: string;
  state: 'DRAFT' | 'PUBLISHED';
}

/** Stores the content of a draft, and publishes it with `state`. @param onSaved gets what is stored now */
export function useSave(id: string, onSaved: (stored: { etag: string; text: string }) => void) {
  return useMutation({
    mutationFn: ({ text, etag, state }: Save) => {
      const body = { content: JSON.parse(text) as Record<string, never>, state };
      return answerOf(api.PUT('/notifications/{id}/content', { params: { path: { id }, query: { if_match: etag } }, body }));
    },
    onSuccess: ({ etag }, { text }) => onSaved({ etag, text }),
  });
}

/** Whether a change was refused because the template has changed meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}
