import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { processModule } from './process-module';

/** Runs messaging as a separate process. It sends mail through the server of `TIDINGS_SMTP_URL`. */
runService({ name: 'messaging', module: processModule });
