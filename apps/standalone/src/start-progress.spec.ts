import { ManualTimers } from '@tidings/testing/manual-timers';
import { SILENT_MS, StartProgress } from './start-progress';

describe('The progress of a start', () => {
  function start(silentMs?: number) {
    const timers = new ManualTimers();
    const reported: string[] = [];
    return { timers, reported, progress: new StartProgress((step) => reported.push(step), silentMs, timers) };
  }

  it('is not reported when the start is short', async () => {
    const { timers, reported, progress } = start();
    progress.begin('PostgreSQL');
    await timers.advance(SILENT_MS - 1);
    progress.begin('identity');
    progress.end();
    await timers.advance(SILENT_MS);

    expect(reported).toEqual([]);
  });

  it('is reported from the step that is running once the start takes long', async () => {
    const { timers, reported, progress } = start();
    progress.begin('PostgreSQL');
    progress.begin('identity');
    await timers.advance(SILENT_MS);
    expect(reported).toEqual(['identity']);

    progress.begin('audience');
    expect(reported).toEqual(['identity', 'audience']);
  });

  it('is reported from the first step on where a start always takes long', () => {
    const { reported, progress } = start(0);
    progress.begin('Kafka');
    progress.begin('PostgreSQL');

    expect(reported).toEqual(['Kafka', 'PostgreSQL']);
    progress.end();
  });
});
