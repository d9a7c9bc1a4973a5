import { waitUntil } from '@tidings/testing/wait-until';
import type { Unfinished } from '../testing/messaging-tables';
import { everythingOver, expectAsAccepted } from '../testing/mixed-outcome';
import { inTheMidst, startMixedWorld } from '../testing/mixed-world';
import { report } from '../testing/report';
import { tornDown } from '../testing/tear-down';

jest.setTimeout(900_000);

/** More subscribers than messages of a list may wait at a time; see `inTheMidst`. */
const SIZES = { subscribers: 2_500, jobUsers: 1_500 };
/** The process is killed when such a part of the list and the job has its mail, for the first time in the midst of the list. */
const KILLED_AT = [0, 0.3, 0.6];
/** A guard against hanging. */
const PROGRESS_MS_MAX = 300_000;

it('a list, a bulk job, delayed sends and refused ones at once survive kill -9 three times', () =>
  tornDown(async (teardown) => {
    const world = await startMixedWorld(teardown, 'standalone', SIZES);
    const { system, work, tables } = world;
    const end = new AbortController();
    teardown.add('the load', () => end.abort());
    const openAtKills = new Set<string>();
    const left: Unfinished[] = [];

    const begunAt = performance.now();
    const loaded = work.run(end.signal);
    left.push(await inTheMidst(world));
    for (const part of KILLED_AT) {
      await waitUntil(() => work.progress >= part, { what: `${part} of the mails`, timeoutMs: PROGRESS_MS_MAX });
      await system.kill();
      for (const attempt of await tables.openAttempts()) openAtKills.add(attempt);
      left.push(await tables.unfinished());
      await system.restart();
    }
    const killedMs = performance.now() - begunAt;
    end.abort();
    await loaded;
    const messages = await everythingOver(world);
    report(
      `kill -9 of everything at once, ${KILLED_AT.length} times in ${Math.round(killedMs)} ms: sends ${work.tally}, ` +
        `left at the kills ${JSON.stringify(left)}, all ${messages.length} messages over after ${Math.round(performance.now() - begunAt)} ms, ` +
        `attempts open at the kills ${openAtKills.size}, second copies ${work.secondCopies}`,
    );

    expect(openAtKills.size).toBeGreaterThan(0);
    await expectAsAccepted(world, messages);
    expect(work.secondCopies).toBeLessThanOrEqual(openAtKills.size);
  }));
