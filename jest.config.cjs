const fs = require('node:fs');
const path = require('node:path');
const { TEST_MS_MAX } = require('./jest.preset.cjs');

/** Every app and library, and the tools, as far as they have a jest configuration. */
const folders = ['libs', 'apps'].flatMap((group) => fs.readdirSync(path.join(__dirname, group)).map((name) => path.join(group, name)));

module.exports = {
  // Of a run of many projects jest takes this one, of a run of a single project that of its preset.
  testTimeout: TEST_MS_MAX,
  projects: [...folders, 'tools', 'tools/kafka', 'tools/deployment']
    .map((folder) => path.join(__dirname, folder, 'jest.config.cjs'))
    .filter((file) => fs.existsSync(file)),
};
