import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { ContentModule } from './content.module';

/** Runs content as a process of its own. */
runService({
  name: 'content',
  module:
    ({ secretKeys }) =>
    (resources) =>
      ContentModule.register({ ...resources, secretKeys }),
});
