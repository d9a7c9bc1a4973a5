import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fetchJars, haveJars, jarsDirectory, KAFKA_VERSION } from './kafka-jars';
import { Machine } from './programs.fixture';

/** Fake Maven: writes one jar slowly enough to overlap with another run, and counts its runs; fails when `offline` exists. */
const MAVEN = `
  const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
  appendFileSync(process.env.MACHINE + '/runs', 'run\\n');
  const output = process.argv.find((one) => one.startsWith('-DoutputDirectory=')).split('=')[1];
  setTimeout(() => {
    writeFileSync(output + '/kafka_2.13-${KAFKA_VERSION}.jar', '');
    if (existsSync(process.env.MACHINE + '/offline')) { console.error('[ERROR] the network is unavailable'); process.exit(1); }
  }, 200);
`;

describe("Kafka's jars", () => {
  let machine: Machine;
  let maven: string;
  const runs = (): number => readFileSync(join(machine.directory, 'runs'), 'utf8').trim().split('\n').length;

  beforeEach(() => {
    machine = new Machine();
    maven = machine.install('mvn', MAVEN);
  });
  afterEach(() => machine.remove());

  it('are fetched once for concurrent callers', async () => {
    const { environment } = machine;

    const libraries = await Promise.all([1, 2, 3].map(() => fetchJars(maven, { environment })));

    expect(new Set(libraries).size).toBe(1);
    expect(readdirSync(libraries[0]!)).toEqual([`kafka_2.13-${KAFKA_VERSION}.jar`]);
    expect(runs()).toBe(1);
  });

  it('are absent after a failed Maven run, whose output is in the error, and are fetched by the next caller', async () => {
    const { environment, directory } = machine;
    writeFileSync(join(directory, 'offline'), '');

    await expect(fetchJars(maven, { environment })).rejects.toThrow(/could not fetch Kafka .*the network is unavailable/);
    expect(haveJars(environment)).toBe(false);
    expect(readdirSync(jarsDirectory(environment))).toEqual([]);
    rmSync(join(directory, 'offline'));
    await fetchJars(maven, { environment });

    expect(haveJars(environment)).toBe(true);
  });

  it('are stored in XDG_CACHE_HOME, by release', () => {
    const { environment, directory } = machine;

    const folder = jarsDirectory({ ...environment, XDG_CACHE_HOME: join(directory, 'elsewhere') });

    expect(dirname(folder)).toBe(join(directory, 'elsewhere/tidings/kafka', KAFKA_VERSION));
    expect(existsSync(folder)).toBe(false);
  });
});
