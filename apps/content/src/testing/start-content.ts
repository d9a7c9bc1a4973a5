import { startTestService, type TestService } from '@tidings/testing/service';
import { ContentModule } from '../content.module';

/** The content service on a database of its own. */
export function startContent(): Promise<TestService> {
  return startTestService('content', (resources) => ContentModule.register(resources));
}
