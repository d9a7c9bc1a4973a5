/** The seeded faults: one file for each package in `faults/`, each fault a text to find and what replaces it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Endings of a suite's file, in the order in which they are run: what is cheap first. */
const SUITE_ENDINGS = ['.spec.ts', '.full.spec.ts', '.alone.spec.ts'];

/**
 * @typedef {object} Fault
 * @property {string} id
 * @property {string} package  the file in `faults/` that holds it
 * @property {string} category
 * @property {string} breaks   what goes wrong for a user, one sentence
 * @property {string} file     from the root of the tree
 * @property {string} find     stands exactly once in the file
 * @property {string} replace
 * @property {string[]} suites paths from the root, without the ending: one of them must fail
 * @property {'kafka'} [way]   journeys run over Kafka, in five processes
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

/** The file's text with the fault in it. @throws Error where the text to find does not stand there exactly once. */
export function textWithFault(root, { file, find, replace }) {
  const place = path.join(root, file);
  if (!existsSync(place)) throw new Error(`${file} does not exist`);
  const parts = readFileSync(place, 'utf8').split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`);
  return parts.join(replace);
}

/** The files of a suite: it may have a part in each tier. @throws Error where there is none. */
export function filesOfSuite(root, suite) {
  const files = SUITE_ENDINGS.map((ending) => suite + ending).filter((file) => existsSync(path.join(root, file)));
  if (files.length === 0) throw new Error(`There is no suite ${suite}`);
  return files;
}

/** The faults that one of the words names: by id, package or category, or by a part of the id; all without words. */
export function chosenFaults(faults, words) {
  const isNamedBy = (word) => (fault) => fault.id.includes(word) || fault.package === word || fault.category === word;
  const unknown = words.find((word) => !faults.some(isNamedBy(word)));
  if (unknown) throw new Error(`No fault is called ${unknown}, nor its package or category`);
  return words.length === 0 ? faults : faults.filter((fault) => words.some((word) => isNamedBy(word)(fault)));
}
