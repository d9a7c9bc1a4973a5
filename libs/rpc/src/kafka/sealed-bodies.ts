import { ServiceError } from '@tidings/contracts/core/errors';
import type { RecordSealer } from '@tidings/kafka/record-sealer';
import { encodeError, type ReplyRecord, type RequestRecord } from '../envelope';

interface SealedBodiesOptions {
  sealer: RecordSealer;
  /** Whether requests and replies that carry secrets are sealed: not during the upgrade from a version that cannot open them. */
  seals: boolean;
}

/** Seals the bodies of requests and replies that carry secrets (`carriesSecrets` of their operation), and opens all. */
export class SealedBodies {
  constructor(private readonly options: SealedBodiesOptions) {}

  /** The request as it is sent. */
  sealRequest(record: RequestRecord): RequestRecord {
    if (!this.options.seals) return record;
    return { ...record, body: this.options.sealer.seal(record.body, requestName(record)) };
  }

  /** The request as it was sealed; `undefined` where no secret of ours opens it. */
  openRequest(record: RequestRecord): RequestRecord | undefined {
    const body = this.options.sealer.open(record.body, requestName(record));
    return body === undefined ? undefined : { ...record, body };
  }

  sealReply(operation: string, reply: ReplyRecord): ReplyRecord {
    return this.options.seals ? this.options.sealer.seal(reply, replyName(operation)) : reply;
  }

  /** The reply as it was sealed; an error reply where no secret of ours opens it. */
  openReply(operation: string, reply: ReplyRecord): ReplyRecord {
    return this.options.sealer.open(reply, replyName(operation)) ?? encodeError(NOT_OPENED);
  }
}

const NOT_OPENED = new ServiceError('unavailable', 'The answer was sealed with a TIDINGS_RPC_SECRET that this process does not have');

const requestName = ({ headers: { operation, workspace, callId } }: RequestRecord) => `request ${operation} ${workspace} ${callId}`;
const replyName = (operation: string) => `reply ${operation}`;
