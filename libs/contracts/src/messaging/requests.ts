import { TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';

/** Long enough for every request id; longer texts match none. */
const REQUEST_ID_LENGTH_MAX = 512;

export class ArchiveRequest {
  /** The id that a send returned: of its one message, or of a request to several. */
  @TextOf(1, REQUEST_ID_LENGTH_MAX) request_id: string;
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
