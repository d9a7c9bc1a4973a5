/**
 * `npm run test:storm`: kills the product, PostgreSQL or both at random moments under concurrent sends, and checks that every
 * accepted message is delivered. Each round is a test. The printed seed repeats a run:
 * `npm run test:storm -- --rounds 30 --senders 16 --seed 7`
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runJest } from './lib/jest-run.mjs';
import { bundle, runTool, setUp, SetUpError } from './lib/set-up.mjs';

const ROUNDS = 30;
const SENDERS = 16;
const SEED_MAX = 1_000_000;

await runTool(async () => {
  const { rounds, senders, seed } = options();
  setUp('tsconfig.json', 'all');
  bundle();
  console.log(`Storm test: ${rounds} rounds, ${senders} senders, --seed ${seed}`);
  const { passed, failed } = await runJest(['--config', 'apps/e2e/jest.storm.config.cjs', '--runInBand'], {
    STORM_ROUNDS: String(rounds),
    STORM_SENDERS: String(senders),
    STORM_SEED: String(seed),
  });
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});

function options() {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, senders: { type: 'string' }, seed: { type: 'string' } } });
  return {
    rounds: wholeNumber('rounds', values.rounds, ROUNDS),
    senders: wholeNumber('senders', values.senders, SENDERS),
    seed: wholeNumber('seed', values.seed, randomInt(1, SEED_MAX)),
  };
}

function wholeNumber(name, text, fallback) {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new SetUpError(`--${name} must be a whole number above 0, not ${text}.`);
  return value;
}
