import { TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';

export class ArchiveRequest {
  /** The id that a send returned: of its one message, or of a request to several. Longer texts match none. */
  @TextOf(1, 512) request_id: string;
}

export const requests = defineOperations('messaging.requests', 'requests', {
  archive: {
    command: true,
    route: 'PUT /requests/:request_id/archive',
    status: 202,
    summary: 'Hide the messages of a request from lists',
    request: ArchiveRequest,
    waits: true,
  },
});
