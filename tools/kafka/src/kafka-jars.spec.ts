import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fetchJars, haveJars, jarsDirectory, KAFKA_VERSION } from './kafka-jars';
import { Machine } from './programs.fixture';

/** Brings one jar, slowly enough to be met by another run, and counts its runs; fails when told to. */
const MAVEN = `
  const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
  appendFileSync(process.env.MACHINE + '/runs', 'run\\n');
  const output = process.argv.find((one) => one.startsWith('-DoutputDirectory=')).split('=')[1];
  setTimeout(() => {
    writeFileSync(output + '/kafka_2.13-${KAFKA_VERSION}.jar', '');
    if (existsSync(process.env.MACHINE + '/offline')) { console.error('[ERROR] the network is away'); process.exit(1); }
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

  it('are fetched once, however many ask at the same time', async () => {
    const { environment } = machine;

    const libraries = await Promise.all([1, 2, 3].map(() => fetchJars(maven, { environment })));

    expect(new Set(libraries).size).toBe(1);
    expect(readdirSync(libraries[0]!)).toEqual([`kafka_2.13-${KAFKA_VERSION}.jar`]);
    expect(runs()).toBe(1);
  });

  it('are not there when Maven fails half-way, whose words are said, and are fetched by the next who asks', async () => {
    const { environment, directory } = machine;
    writeFileSync(join(directory, 'offline'), '');

    await expect(fetchJars(maven, { environment })).rejects.toThrow(/could not fetch Kafka .*the network is away/);
    expect(haveJars(environment)).toBe(false);
    expect(readdirSync(jarsDirectory(environment))).toEqual([]);
    rmSync(join(directory, 'offline'));
    await fetchJars(maven, { environment });

    expect(haveJars(environment)).toBe(true);
  });

  it('are kept where XDG_CACHE_HOME says, by release', () => {
    const { environment, directory } = machine;

    const kept = jarsDirectory({ ...environment, XDG_CACHE_HOME: join(directory, 'elsewhere') });

    expect(dirname(kept)).toBe(join(directory, 'elsewhere/tidings/kafka', KAFKA_VERSION));
    expect(existsSync(kept)).toBe(false);
  });
});
