import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { RUN_SOURCES } from '@tidings/testing/source-process';

/** Loads what instrumented code loads, and prints the modules of OpenTelemetry. */
const PROGRAM = `
  require('@tidings/tracing/work-ids');
  require('@tidings/tracing/spans');
  require('@tidings/tracing/start-tracing');
  require('@tidings/runtime/run-process');
  require('@tidings/rpc/operation-client');
  require('@tidings/events/queued-event-log');
  const loaded = Object.keys(require.cache).filter((file) => file.includes('@opentelemetry'));
  console.log(JSON.stringify([...new Set(loaded.map((file) => /@opentelemetry.([^/\\\\\\\\]+)/.exec(file)[1]))]));
`;

it('loads nothing of the SDK while tracing is off', () => {
  const output = execFileSync(process.execPath, [...RUN_SOURCES, '-e', PROGRAM], {
    cwd: path.resolve(__dirname, '../../..'),
    encoding: 'utf8',
  });

  // The metrics' library loads the API.
  expect(JSON.parse(output)).toEqual(['api']);
});
