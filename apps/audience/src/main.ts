import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { AudienceModule } from './audience.module';

/** Runs audience as a process of its own. */
runService({ name: 'audience', module: () => AudienceModule.register });
