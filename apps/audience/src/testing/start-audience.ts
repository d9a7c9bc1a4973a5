import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { AudienceModule } from '../audience.module';

/** Longer than any test: suites that count rows of dropped sets sweep them themselves. */
const SET_SWEEP_MS = 86_400_000;

/** Starts the audience service on a database of its own. */
export function startAudience(): Promise<TestService> {
  return startTestService('audience', (resources) => AudienceModule.register({ ...resources, setSweepMs: SET_SWEEP_MS }));
}

/** One audience service per jest worker; its specs use different workspaces. */
export const sharedAudience = shared(startAudience);
