/**
 * Applies the seeded faults to a copy of the tree, one at a time, and runs for each the suites that must fail.
 *
 *     node tools/seeded-faults/run.mjs [word…]     faults by id, package or category; all without words
 *       --list         prints the table and runs nothing
 *       --write        writes the tables of docs/seeded-faults.md and runs nothing
 *       --all-suites   searches for another failing suite when the named ones pass: in the package, then everywhere
 *       --without      runs the named suites without the fault: they must pass
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
/** Suites in these folders start processes from the build. */
const USE_THE_BUILD = ['apps/e2e/', 'apps/standalone/'];
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const { options, chosen } = await parseCommandLine();

if (options.write) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), chosen));
else if (options.list) console.log(tablesOf(chosen));
else process.exitCode = await check(options.without ? onceEach(chosen) : chosen);

/** Options and chosen faults of the command line; an error ends the process with the usage. */
async function parseCommandLine() {
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

/** Runs the suites for each fault; resolves with the exit code. */
async function check(chosen) {
  const copy = PrivateCopy.make(root);
  const run = new SuiteRun(copy.directory);
  process.once('exit', () => {
    run.end();
    copy.remove();
  });
  for (const [signal, code] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(code));

  if (options['all-suites'] || chosen.some(({ suites }) => suites.some(usesTheBuild))) {
    copy.copyBuild();
    copy.build();
  }
  let failed = 0;
  for (const fault of chosen) {
    const startedAt = performance.now();
    const { passed, line } = await outcomeOf(fault, copy, run);
    if (!passed) failed += 1;
    console.log(`${line}  (${Math.round((performance.now() - startedAt) / 1000)} s)`);
  }
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

function usesTheBuild(suite) {
  return USE_THE_BUILD.some((folder) => suite.startsWith(folder));
}

/** Applies a fault and runs its suites; resolves with the result as one line. */
async function outcomeOf(fault, copy, run) {
  const { id, file, suites } = fault;
  try {
    const files = suites.flatMap((suite) => filesOfSuite(copy.directory, suite));
    if (options.without) return withoutFault(files, fault, copy, run);
    const before = copy.read(file);
    copy.write(file, textWithFault(copy.directory, fault));
    try {
      const killer = await firstFailure(files, fault, copy, run);
      if (killer) return { passed: true, line: `red       ${id}: ${killer.suite} › ${killer.title}` };
      const other = options['all-suites'] ? await searchKiller(fault, copy, run) : undefined;
      const elsewhere = other ? `, but red in ${other.suite} › ${other.title}` : '';
      return { passed: false, line: `SURVIVED  ${id}: ${files.join(', ')} passed${elsewhere}` };
    } finally {
      copy.write(file, before);
    }
  } catch (error) {
    return { passed: false, line: `BROKEN    ${id}: ${error.message}` };
  }
}

async function withoutFault(files, fault, copy, run) {
  const failure = await firstFailure(files, fault, copy, run);
  return failure
    ? { passed: false, line: `RED       without a fault: ${failure.suite} › ${failure.title}` }
    : { passed: true, line: `green     without a fault: ${files.join(', ')}` };
}

async function firstFailure(files, { topology }, copy, run) {
  for (const file of files) {
    if (usesTheBuild(file)) copy.build();
    const { title, suite } = await run.until([file], { config: configOf(copy.directory, file), topology });
    if (title !== undefined) return { suite, title };
  }
  return undefined;
}

/** The first suite that fails: in the fault's own project, then in the whole tree. */
async function searchKiller({ file, topology }, copy, run) {
  copy.build();
  const listed = execFileSync('git', ['ls-files', '*.spec.ts'], { cwd: copy.directory, encoding: 'utf8' });
  const all = listed.split('\n').filter(Boolean);
  const project = file.split('/').slice(0, 2).join('/') + '/';
  for (const files of [all.filter((one) => one.startsWith(project)), all.filter((one) => !one.startsWith(project))]) {
    if (files.length === 0) continue;
    const found = await run.until(files, { config: 'jest.config.cjs', topology });
    if (found.title !== undefined) return found;
  }
  return undefined;
}

/** One fault per set of suites: without a fault their runs are equal. */
function onceEach(chosen) {
  const keyOf = ({ suites, topology }) => JSON.stringify([suites, topology]);
  return [...new Map(chosen.map((fault) => [keyOf(fault), fault])).values()];
}
