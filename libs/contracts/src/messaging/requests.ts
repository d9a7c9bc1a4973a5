import { TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';

export class ArchiveRequest {
  /** Id that a send returned as `requestId`, or the id of a bulk job. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @TextOf(1, 512) request_id: string;
}

export const requests = defineOperations('messaging.requests', 'requests', {
  /** The messages stay, and are found by their ids; lists show them with `archived=true` only. Answers 404 for an unknown id. */
  archive: {
    audit: 'request:archived',
    command: true,
    route: 'PUT /requests/:request_id/archive',
    status: 202,
    summary: 'Hide the messages of a request from lists',
    request: ArchiveRequest,
    waits: true,
  },
});
