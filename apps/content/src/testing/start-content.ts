import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { RUN_SOURCES } from '@tidings/testing/source-process';
import { ContentModule } from '../content.module';

/** Threads compile their TypeScript sources before the first job. */
const TIME_LIMIT_MS = 10_000;
/** Limit of calls and threads on a busy machine; no spec depends on it. */
const CALL_DEADLINE_MS = 60_000;

/** Starts the content service on a database of its own. Calls have a long deadline unless they set one. */
export async function startContent({ secretKeys }: { secretKeys?: readonly Buffer[] } = {}): Promise<TestService> {
  const rendering = { execArgv: RUN_SOURCES, timeLimitMs: TIME_LIMIT_MS, overdueMs: CALL_DEADLINE_MS };
  const service = await startTestService('content', (resources) => ContentModule.register({ ...resources, secretKeys, rendering }));
  return {
    ...service,
    call: (operation, context, request, options) => service.call(operation, context, request, { deadlineMs: CALL_DEADLINE_MS, ...options }),
  };
}

/** One content service per jest worker; its specs use different workspaces. */
export const sharedContent = shared(() => startContent());
