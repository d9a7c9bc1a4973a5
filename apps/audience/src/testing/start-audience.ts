import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { AudienceModule } from '../audience.module';

/** Starts the audience service on a database of its own. */
export function startAudience(): Promise<TestService> {
  return startTestService('audience', (resources) => AudienceModule.register(resources));
}

/** One audience service per jest worker; its specs use different workspaces. */
export const sharedAudience = shared(startAudience);
