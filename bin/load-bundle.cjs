/**
 * Loads a bundle that tools/bundle.mjs made, with V8's cached data, which spares compiling it. Data of another version of Node, or none,
 * only costs time.
 */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

/**
 * Returns the bundle's exports, and its script, which makes the cached data.
 * @param filename a function with the parameters of a CommonJS module, in ASCII.
 * @throws Error when it is missing
 */
function loadBundle(filename) {
  // One byte for each character: half the memory.
  const source = readFileSync(filename, 'latin1');
  const script = new vm.Script(source, {
    filename,
    cachedData: cachedDataOf(filename, source),
  });
  const module = new Module(filename);
  const parameters = [module.exports, Module.createRequire(filename), module, filename, path.dirname(filename)];
  script.runInThisContext().apply(module.exports, parameters);
  return { exports: module.exports, script };
}

/** The first line, `// name`, names the file of the data: V8 itself compares only the lengths of sources. */
function cachedDataOf(filename, source) {
  try {
    return readFileSync(path.join(path.dirname(filename), source.slice(3, source.indexOf('\n'))));
  } catch {
    return undefined;
  }
}

/** Runs an entry of a bundle, and returns its exports. */
const runEntry = (filename, name) => loadBundle(filename).exports.run[name]();

module.exports = { loadBundle, runEntry };
