/** The seeded faults: one file per package in `faults/`; each fault is a text to find and its replacement. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Endings of a suite's files in the order of their runs: fast ones first. */
const SUITE_ENDINGS = ['.spec.ts', '.full.spec.ts', '.alone.spec.ts'];

/**
 * @typedef {object} Fault
 * @property {string} id
 * @property {string} package  name of its file in `faults/`
 * @property {string} category
 * @property {string} breaks   effect on a user, one sentence
 * @property {string} file     from the root of the tree
 * @property {string} find     occurs exactly once in the file
 * @property {string} replace
 * @property {string[]} suites paths from the root, without the ending: one of them must fail
 * @property {'kafka'} [topology] journeys run over Kafka, in five processes
 */

/** Every fault, package by package. @returns {Promise<Fault[]>} */
export async function loadFaults(folder) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .sort();
  const packages = await Promise.all(
    files.map(async (name) => {
      const { default: faults } = await import(path.join(folder, name));
      return faults.map((fault) => ({ package: path.basename(name, '.mjs'), ...fault }));
    }),
  );
  return packages.flat();
}

/** The file's text with the fault. @throws Error when the text to find does not occur exactly once */
export function textWithFault(root, { file, find, replace }) {
  const target = path.join(root, file);
  if (!existsSync(target)) throw new Error(`${file} does not exist`);
  const parts = readFileSync(target, 'utf8').split(find);
  if (parts.length !== 2) throw new Error(`${file} contains this text ${parts.length - 1} times, not once: ${find}`);
  return parts.join(replace);
}

/** The files of a suite, which may have a part in each tier. @throws Error when it has none */
export function filesOfSuite(root, suite) {
  const files = SUITE_ENDINGS.map((ending) => suite + ending).filter((file) => existsSync(path.join(root, file)));
  if (files.length === 0) throw new Error(`There is no suite ${suite}`);
  return files;
}

/** The faults that match a word: package, category, id or part of the id; all faults without words. */
export function chosenFaults(faults, words) {
  const isNamedBy = (word) => (fault) => fault.id.includes(word) || fault.package === word || fault.category === word;
  const unknown = words.find((word) => !faults.some(isNamedBy(word)));
  if (unknown) throw new Error(`No fault has the id, package or category ${unknown}`);
  return words.length === 0 ? faults : faults.filter((fault) => words.some((word) => isNamedBy(word)(fault)));
}
