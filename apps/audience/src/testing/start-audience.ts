import { startTestService, type TestService } from '@tidings/testing/service';
import { AudienceModule } from '../audience.module';

/** The audience service on a database of its own. */
export function startAudience(): Promise<TestService> {
  return startTestService('audience', (resources) => AudienceModule.register(resources));
}
