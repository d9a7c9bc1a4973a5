import { audienceStatus } from '@tidings/contracts/audience/status';
import { contentStatus } from '@tidings/contracts/content/status';
import type { CallContext } from '@tidings/contracts/core/context';
import type { AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import type { AppStatus, SystemStatus } from '@tidings/contracts/core/status';
import { STATUS_MS_MAX, type StatusOperations } from '@tidings/contracts/core/status-operations';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { identityStatus } from '@tidings/contracts/identity/status';
import { messagingStatus } from '@tidings/contracts/messaging/status';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { failedChecks, type Readiness } from '@tidings/runtime/status-handlers';

/** Over the deadline of the call, whose end a transport may report late, in ms. */
const ANSWER_MS_MAX = STATUS_MS_MAX + 1_000;
/** Of an app that does not answer. */
const UNKNOWN = { version: null, backlog: null, oldest: null, lag: null, dead: null, groups: [], dead_letters: [] };

const OPERATIONS: Readonly<Record<AnsweringService, StatusOperations>> = {
  identity: identityStatus,
  audience: audienceStatus,
  messaging: messagingStatus,
  content: contentStatus,
};

/** The status of the five apps. An app that does not answer in time is not ready. */
export class AdminStatus {
  constructor(
    private readonly client: OperationClient,
    private readonly version: string,
    private readonly health?: Readiness,
  ) {}

  async read(context: CallContext): Promise<SystemStatus> {
    const services = Object.entries(OPERATIONS).map(([name, operations]) => this.ofService(context, name, operations));
    const apps = await Promise.all([this.own(), ...services]);
    return { ready: apps.every(({ ready }) => ready), apps };
  }

  /** The gateway stores nothing, and consumes nothing in a group. */
  private async own(): Promise<AppStatus> {
    const reason = this.health ? (await failedChecks(this.health)).join('; ') : '';
    const own = { ...UNKNOWN, version: this.version, backlog: 0, oldest: 0, lag: 0, dead: 0 };
    return { name: 'gateway', ready: reason === '', ...(reason !== '' && { reason }), ...own };
  }

  private async ofService(context: CallContext, name: string, { read }: StatusOperations): Promise<AppStatus> {
    try {
      const answer = await withTimeout(ANSWER_MS_MAX, this.client.call(read, context, {}));
      if (answer) return answer.value;
    } catch (error) {
      return { name, ready: false, reason: (error as Error).message, ...UNKNOWN };
    }
    return { name, ready: false, reason: `no answer within ${ANSWER_MS_MAX} ms`, ...UNKNOWN };
  }
}
