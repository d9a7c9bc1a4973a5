import { findEngine, KafkaUnavailable } from './engine';
import { KafkaCluster } from './kafka-cluster';
import { Machine } from './programs.fixture';

const javaOf = (version: string): string => `console.error('openjdk version "${version}" 2025-04-15')`;
const NO_DAEMON = 'process.exit(1)';
const DAEMON = 'process.exit(0)';

describe('the engine for Kafka', () => {
  let machine: Machine;
  beforeEach(() => (machine = new Machine()));
  afterEach(() => machine.remove());

  it('is Java when Java and Maven are installed, even beside Docker', () => {
    const program = machine.install('java', javaOf('17.0.15'));
    const maven = machine.install('mvn', '');
    machine.install('docker', DAEMON);

    expect(findEngine(machine.environment)).toMatchObject({ kind: 'java', java: { program, version: 17 }, maven });
  });

  it('is Docker when Java or Maven is missing and a daemon answers', () => {
    const docker = machine.install('docker', DAEMON);
    expect(findEngine(machine.environment)).toEqual({ kind: 'docker', docker });

    machine.install('java', javaOf('21-ea'));
    expect(findEngine(machine.environment)).toEqual({ kind: 'docker', docker });
  });

  it.each([
    ['Java is missing', {}, /Java is not on the PATH.*no Docker daemon answers: install Java 17 or newer and Maven.*KAFKA_BROKERS/],
    ['Java is too old', { java: javaOf('11.0.2'), mvn: '' }, /java is Java 11, and Kafka needs 17.*install Java 17/],
    ['Java has a version in the form of 1.8', { java: javaOf('1.8.0_402'), mvn: '' }, /java is Java 8, and Kafka needs 17/],
    ['Java does not run', { java: 'process.exit(1)', mvn: '' }, /java does not run/],
    ['Maven is missing', { java: javaOf('17') }, /Maven \(mvn\) is not on the PATH.*install Maven \(Debian: apt-get install maven\)/],
    ['Docker has no daemon', { docker: NO_DAEMON }, /no Docker daemon answers/],
  ])('is refused with one sentence when %s', async (_, programs, sentence) => {
    for (const [name, source] of Object.entries(programs)) machine.install(name, source);

    const { environment, directory } = machine;
    const started = KafkaCluster.start({ directory: `${directory}/kafka`, environment });

    await expect(started).rejects.toThrow(KafkaUnavailable);
    await expect(started).rejects.toThrow(sentence);
    await expect(started).rejects.not.toThrow(/\n|\. /);
  });
});
