import { join } from 'node:path';
import { OtlpReceiver } from '@tidings/testing/otlp-receiver';
import { SourceProcess } from '@tidings/testing/source-process';

const FIXTURE = join(__dirname, 'observe-process.fixture.ts');

describe('a process that traces', () => {
  let collector: OtlpReceiver;
  let child: SourceProcess | undefined;
  beforeEach(async () => (collector = await OtlpReceiver.start()));
  afterEach(async () => {
    await child?.kill();
    await collector.stop();
  });

  async function start(environment: NodeJS.ProcessEnv) {
    const required = { KAFKA_BROKERS: '127.0.0.1:1', TIDINGS_RPC_SECRET: 's'.repeat(32), MANAGEMENT_PORT: '0', LOG_LEVEL: '' };
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '3600000' };
    child = SourceProcess.start(FIXTURE, { environment: { ...required, ...endpoint, ...environment } });
    await child.untilOutput(/recorded/);
    return child;
  }

  it('sends its spans when it ends', async () => {
    const running = await start({});
    expect(collector.spans).toEqual([]);

    expect(await running.kill('SIGTERM')).toBe(0);
    expect(collector.spans).toMatchObject([{ name: 'one', service: 'tidings-gateway' }]);
  });

  it('ends in order, with a warning, when the collector refuses them', async () => {
    collector.status = 400;
    const running = await start({});

    expect(await running.kill('SIGTERM')).toBe(0);
    expect(running.output).toContain('Spans could not be sent');
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('does not trace with %j', async (environment) => {
    const running = await start(environment);

    expect(await running.kill('SIGTERM')).toBe(0);
    expect(collector.requests).toEqual([]);
  });
});
