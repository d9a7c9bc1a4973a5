import { freePort } from './free-port';

/** Ports of one worker. */
const PORTS = 500;
const MANY = 200;

it('returns even ports of this worker’s range, each once', async () => {
  const first = 10_000 + ((Number(process.env.JEST_WORKER_ID) - 1) % 20) * PORTS;

  const ports: number[] = [];
  for (let n = 0; n < MANY; n += 1) ports.push(await freePort());

  expect(new Set(ports).size).toBe(MANY);
  expect(ports).not.toContain(10_080); // fetch refuses it
  expect(ports.filter((port) => port % 2 !== 0 || port < first || port + 1 >= first + PORTS)).toEqual([]);
});
