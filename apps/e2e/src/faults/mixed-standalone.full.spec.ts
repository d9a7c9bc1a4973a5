import { waitUntil } from '@tidings/testing/wait-until';
import type { Unfinished } from '../testing/messaging-tables';
import { allFinished, expectAsAccepted } from '../testing/mixed-outcome';
import { untilHalfway, startMixedFixture } from '../testing/mixed-fixture';
import { RECOVERED } from '../testing/fault-fixture';
import { report } from '../testing/report';
import { withTeardown } from '../testing/tear-down';

jest.setTimeout(900_000);

/** More subscribers than messages of a list may wait at a time; see `untilHalfway`. */
const SIZES = { subscribers: 2_500, jobUsers: 1_500 };
/** Shares of delivered mails at which the process is killed; the first kill is during the expansion of the list. */
const KILLED_AT = [0, 0.3, 0.6];
/** Guard against a test that does not end. */
const PROGRESS_MS_MAX = 300_000;

it('a list, a bulk job, delayed sends and failovers survive three kill -9', () =>
  withTeardown(async (teardown) => {
    const fixture = await startMixedFixture(teardown, 'standalone', SIZES);
    const { system, work, tables } = fixture;
    const stop = new AbortController();
    teardown.add('the load', () => stop.abort());
    const openAtKills = new Set<string>();
    let recovered = 0;
    const unfinished: Unfinished[] = [];

    const startedAt = performance.now();
    const loaded = work.run(stop.signal);
    unfinished.push(await untilHalfway(fixture));
    for (const part of KILLED_AT) {
      await waitUntil(() => work.progress >= part, { what: `${part} of the mails`, timeoutMs: PROGRESS_MS_MAX });
      recovered += await system.metrics(RECOVERED);
      await system.kill();
      for (const attempt of await tables.openAttempts()) openAtKills.add(attempt);
      unfinished.push(await tables.unfinished());
      await system.restart();
    }
    const killedMs = performance.now() - startedAt;
    stop.abort();
    await loaded;
    const messages = await allFinished(fixture);
    recovered += await system.metrics(RECOVERED);
    report(
      `kill -9 during mixed work, ${KILLED_AT.length} times in ${Math.round(killedMs)} ms: sends ${work.tally}, ` +
        `unfinished at the kills ${JSON.stringify(unfinished)}, all ${messages.length} messages finished after ${Math.round(performance.now() - startedAt)} ms, ` +
        `attempts open at the kills ${openAtKills.size}, found ${recovered}, second copies ${work.secondCopies}`,
    );

    expect(openAtKills.size).toBeGreaterThan(0);
    await expectAsAccepted(fixture, messages);
    // Of messages that were not stored yet only the process that ended knew the attempts.
    expect(work.secondCopies).toBeLessThanOrEqual(Math.max(recovered, openAtKills.size));
  }));
