import 'reflect-metadata';
import { runService } from '@tidings/runtime/run-service';
import { processModule } from './process-module';

/** messaging in a process of its own. Its mail goes to the server of `TIDINGS_SMTP_URL`. */
runService({ name: 'messaging', module: processModule });
