import { EventEmitter } from 'node:events';
import type { Consumer } from 'kafkajs';
import { ConsumerLiveness } from './consumer-liveness';

const EVENTS = { REQUEST: 'request', FETCH_START: 'start', FETCH: 'end' };
const LATE_MS = 5_000;

let at: number;
let emitter: EventEmitter;
let liveness: ConsumerLiveness;

beforeEach(() => {
  at = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => at);
  emitter = new EventEmitter();
  const consumer = { events: EVENTS, on: (name: string, listener: (event: unknown) => void) => emitter.on(name, listener) };
  liveness = new ConsumerLiveness(consumer as unknown as Consumer);
});

function start(...nodes: string[]) {
  for (const nodeId of nodes) emitter.emit(EVENTS.FETCH_START, { payload: { nodeId } });
}
/** A fetch that ended; one with an answer is a request too. */
function end(nodeId: string, failed = false) {
  at += 10;
  if (!failed) emitter.emit(EVENTS.REQUEST, { payload: { apiName: 'Fetch' } });
  emitter.emit(EVENTS.FETCH, { payload: { nodeId, failed } });
}

function refuse() {
  at += 10;
  emitter.emit(EVENTS.FETCH, { payload: { refused: true } });
}

describe('a broker that does not answer a fetch', () => {
  it('interrupts reading, also while others answer', () => {
    start('1', '2');
    at += LATE_MS;
    end('2');
    start('2');
    end('2');

    expect(liveness.interruptedForMs()).toBeGreaterThan(LATE_MS);
  });

  it('interrupts it as long as fetches from it fail', () => {
    start('1', '2');
    end('2');
    end('1', true);
    at += LATE_MS;
    start('1', '2');
    end('2');

    expect(liveness.interruptedForMs()).toBeGreaterThan(LATE_MS);
  });

  it('interrupts nothing any more once the others are fetched from without it', () => {
    start('1', '2');
    end('2');
    end('1', true);
    at += LATE_MS;
    start('2');
    end('2');

    expect(liveness.interruptedForMs()).toBe(0);
  });
});

describe('a broker that refuses connections', () => {
  it('is one that the consumer reconnects to, as long as it tries and until any broker answers', () => {
    start('1');
    refuse();
    expect(liveness.isReconnecting()).toBe(true);

    at += 2 * LATE_MS;
    expect(liveness.isReconnecting()).toBe(false);

    refuse();
    expect(liveness.isReconnecting()).toBe(true);

    end('1');
    expect(liveness.isReconnecting()).toBe(false);
  });

  it('interrupts reading, but is not silent, however long the fetch takes to fail', () => {
    start('1');
    at += 2 * LATE_MS;
    refuse();

    expect(liveness.interruptedForMs()).toBeGreaterThan(LATE_MS);
    expect(liveness.longestSilenceMs()).toBe(0);
  });
});

describe('a broker that accepts connections and does not answer', () => {
  it('is silent since its first fetch, through requests that time out', () => {
    start('1');
    at += LATE_MS;
    end('1', true);
    start('1');
    at += LATE_MS;

    expect(liveness.longestSilenceMs()).toBeGreaterThan(2 * LATE_MS);
    expect(liveness.isReconnecting()).toBe(false);
  });

  it('is silent since it last refused a connection', () => {
    start('1');
    at += LATE_MS;
    refuse();
    end('1', true);
    start('1');
    at += LATE_MS;

    expect(liveness.longestSilenceMs()).toBe(LATE_MS + 10);
  });
});
