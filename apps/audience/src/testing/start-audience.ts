import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { AudienceModule } from '../audience.module';

/** The audience service on a database of its own. */
export function startAudience(): Promise<TestService> {
  return startTestService('audience', (resources) => AudienceModule.register(resources));
}

/** The audience service of the specs of a worker, which they tell apart by workspace. */
export const sharedAudience = shared(startAudience);
