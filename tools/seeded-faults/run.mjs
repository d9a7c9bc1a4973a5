/**
 * Puts the seeded faults into a copy of the tree, one after the other, and runs for each the suites that are to notice it.
 *
 *     node tools/seeded-faults/run.mjs [word…]     those whose id, package or category is named; all without words
 *       --list         prints the table and runs nothing
 *       --write        writes the tables of docs/seeded-faults.md and runs nothing
 *       --all-suites   where the suites that are named pass, looks for one that does not: in the package, then everywhere
 *       --without      runs the suites that are named without the fault: they must pass
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { chosenFaults, filesOfSuite, loadFaults, textWithFault } from './catalogue.mjs';
import { tablesOf, withTables } from './page.mjs';
import { PrivateCopy } from './private-copy.mjs';
import { configOf, SuiteRun } from './suite-run.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const PAGE = path.join(root, 'docs/seeded-faults.md');
/** Their suites run processes of what is built. */
const RUN_THE_BUILD = ['apps/e2e/', 'apps/standalone/'];
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const { options, chosen } = await asked();

if (options.write) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), chosen));
else if (options.list) console.log(tablesOf(chosen));
else process.exitCode = await check(options.without ? onceEach(chosen) : chosen);

/** What the command line says; what it cannot say is answered in words. */
async function asked() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: Object.fromEntries(['list', 'write', 'all-suites', 'without'].map((name) => [name, { type: 'boolean', default: false }])),
    });
    const faults = await loadFaults(path.join(here, 'faults'));
    return { options: values, chosen: values.write ? faults : chosenFaults(faults, positionals) };
  } catch (error) {
    console.error(`${error.message}\n\nnode tools/seeded-faults/run.mjs [word…] [--list] [--write] [--all-suites] [--without]`);
    process.exit(2);
  }
}

/** Resolves with the exit code. */
async function check(chosen) {
  const copy = PrivateCopy.make(root);
  const run = new SuiteRun(copy.directory);
  process.once('exit', () => {
    run.end();
    copy.remove();
  });
  for (const [signal, code] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(code));

  if (options['all-suites'] || chosen.some(({ suites }) => suites.some(runsTheBuild))) {
    copy.takeBuild();
    copy.build();
  }
  let failed = 0;
  for (const fault of chosen) {
    const begun = performance.now();
    const { isWell, says } = await outcomeOf(fault, copy, run);
    if (!isWell) failed += 1;
    console.log(`${says}  (${Math.round((performance.now() - begun) / 1000)} s)`);
  }
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

function runsTheBuild(suite) {
  return RUN_THE_BUILD.some((folder) => suite.startsWith(folder));
}

/** What became of a fault, in a line. */
async function outcomeOf(fault, copy, run) {
  const { id, file, suites } = fault;
  try {
    const files = suites.flatMap((suite) => filesOfSuite(copy.directory, suite));
    if (options.without) return withoutFault(files, fault, copy, run);
    const before = copy.read(file);
    copy.write(file, textWithFault(copy.directory, fault));
    try {
      const killer = await firstFailure(files, fault, copy, run);
      if (killer) return { isWell: true, says: `red       ${id}: ${killer.suite} › ${killer.title}` };
      const other = options['all-suites'] ? await searchKiller(fault, copy, run) : undefined;
      const elsewhere = other ? `, but red in ${other.suite} › ${other.title}` : '';
      return { isWell: false, says: `SURVIVED  ${id}: ${files.join(', ')} passed${elsewhere}` };
    } finally {
      copy.write(file, before);
    }
  } catch (error) {
    return { isWell: false, says: `BROKEN    ${id}: ${error.message}` };
  }
}

async function withoutFault(files, fault, copy, run) {
  const failure = await firstFailure(files, fault, copy, run);
  return failure
    ? { isWell: false, says: `RED       without a fault: ${failure.suite} › ${failure.title}` }
    : { isWell: true, says: `green     without a fault: ${files.join(', ')}` };
}

async function firstFailure(files, { way }, copy, run) {
  for (const file of files) {
    if (runsTheBuild(file)) copy.build();
    const { title, suite } = await run.until([file], { config: configOf(copy.directory, file), way });
    if (title !== undefined) return { suite, title };
  }
  return undefined;
}

/** The first suite that fails: of the fault's own project, then of the whole tree. */
async function searchKiller({ file, way }, copy, run) {
  copy.build();
  const listed = execFileSync('git', ['ls-files', '*.spec.ts'], { cwd: copy.directory, encoding: 'utf8' });
  const all = listed.split('\n').filter(Boolean);
  const project = file.split('/').slice(0, 2).join('/') + '/';
  for (const files of [all.filter((one) => one.startsWith(project)), all.filter((one) => !one.startsWith(project))]) {
    if (files.length === 0) continue;
    const found = await run.until(files, { config: 'jest.config.cjs', way });
    if (found.title !== undefined) return found;
  }
  return undefined;
}

/** Of faults with the same suites one: without a fault they are the same run. */
function onceEach(chosen) {
  const keyOf = ({ suites, way }) => JSON.stringify([suites, way]);
  return [...new Map(chosen.map((fault) => [keyOf(fault), fault])).values()];
}
