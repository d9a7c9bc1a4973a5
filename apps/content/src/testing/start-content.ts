import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { RUN_SOURCES } from '@tidings/testing/source-process';
import { ContentModule } from '../content.module';

/** Threads compile the sources they run before they do anything. */
const TIME_LIMIT_MS = 10_000;
/** Guards against hanging, where a call or a thread has to wait for the machine: no spec is about them. */
const PATIENCE_MS = 60_000;

/** The content service on a database of its own. Its calls have much time, unless they say how much. */
export async function startContent(): Promise<TestService> {
  const rendering = { execArgv: RUN_SOURCES, timeLimitMs: TIME_LIMIT_MS, overdueMs: PATIENCE_MS };
  const service = await startTestService('content', (resources) => ContentModule.register({ ...resources, rendering }));
  return {
    ...service,
    call: (operation, context, request, options) => service.call(operation, context, request, { deadlineMs: PATIENCE_MS, ...options }),
  };
}

/** The content service of the specs of a worker, which they tell apart by workspace. */
export const sharedContent = shared(startContent);
