import { Readable } from 'node:stream';
import { waitUntil } from '@tidings/testing/wait-until';
import { LogRelay } from './log-relay';

function relayed(coloured = false) {
  const written: string[] = [];
  const relay = new LogRelay({ width: 9, coloured, write: (text) => written.push(text) });
  return { relay, text: () => written.join('') };
}

describe('the logs of several processes', () => {
  it('are written as lines, prefixed with the name of their process', async () => {
    const { relay, text } = relayed();
    const entry = { level: 'info', time: '2026-11-21T04:05:06.000Z', process: 'identity', context: 'Start', message: 'Ready', port: 1 };

    relay.follow('identity', Readable.from([`${JSON.stringify(entry).slice(0, 20)}`, `${JSON.stringify(entry).slice(20)}\n`]));

    await waitUntil(() => text(), { what: 'the line' });
    expect(text()).toBe('identity  | 04:05:06  info   Start       Ready  port=1\n');
  });

  it('have the stack below its line, and copy other output unchanged', async () => {
    const { relay, text } = relayed();
    const entry = { level: 'error', time: '2026-11-21T04:05:06.000Z', message: 'Oh', error: { stack: 'Error: oh\n    at here' } };

    relay.follow('messaging', Readable.from([`{"half\nTidings (messaging) cannot start: no\n${JSON.stringify(entry)}\n{"a":1}`]));

    await waitUntil(() => text().includes('{"a":1}'), { what: 'the last line' });
    expect(text().split('\n')).toEqual([
      'messaging | {"half',
      'messaging | Tidings (messaging) cannot start: no',
      'messaging | 04:05:06  ERROR  Oh',
      'messaging |     Error: oh',
      'messaging |         at here',
      'messaging | {"a":1}',
      '',
    ]);
  });

  it('have a colour for each process on a terminal', () => {
    const { relay, text } = relayed(true);
    relay.write('gateway', 'one');
    relay.write('content', 'two');
    relay.write('gateway', 'three');

    const colours = text()
      .split('\n')
      .slice(0, 3)
      .map((line) => line.slice(0, '\u001b[36m'.length));
    expect(colours[0]).toBe(colours[2]);
    expect(colours[0]).not.toBe(colours[1]);
  });
});
