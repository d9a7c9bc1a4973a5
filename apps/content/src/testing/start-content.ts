import { startTestService, type TestService } from '@tidings/testing/service';
import { RUN_SOURCES } from '@tidings/testing/source-process';
import { ContentModule } from '../content.module';

/** Threads compile the sources they run before they do anything. */
const TIME_LIMIT_MS = 10_000;

/** The content service on a database of its own. */
export function startContent(): Promise<TestService> {
  return startTestService('content', (resources) =>
    ContentModule.register({ ...resources, rendering: { execArgv: RUN_SOURCES, timeLimitMs: TIME_LIMIT_MS } }),
  );
}
