import { startSpan } from '@tidings/tracing/spans';
import { runProcess } from './run-process';

/** A process that records one span, which is due to be sent in an hour. */
runProcess('gateway', async () => {
  startSpan({ name: 'one', kind: 'internal' })?.end();
  console.log('recorded');
});
