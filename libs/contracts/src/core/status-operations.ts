import type { AnsweringService } from './dead-letter-operations';
import { defineOperations, Nothing } from './operation';
import { AppStatus } from './status';

/** A service that does not answer by then counts as not ready, in ms. */
export const STATUS_MS_MAX = 5_000;

/** The operations that show the status of a service. */
export type StatusOperations = ReturnType<typeof statusOperations>;

/** The operations that show the status of a service. */
export function statusOperations(service: AnsweringService) {
  return defineOperations(`${service}.status`, 'internal', {
    read: {
      repeatable: true,
      deadlineMs: STATUS_MS_MAX,
      summary: 'Whether a process of the service is ready, and what waits in the service',
      request: Nothing,
      response: AppStatus,
    },
  });
}
