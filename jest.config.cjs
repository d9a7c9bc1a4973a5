const fs = require('node:fs');
const path = require('node:path');

/** Every app and library, and the tools, as far as they have a jest configuration. */
const folders = ['libs', 'apps'].flatMap((group) => fs.readdirSync(path.join(__dirname, group)).map((name) => path.join(group, name)));

module.exports = {
  projects: [...folders, 'tools', 'tools/kafka', 'tools/deployment']
    .map((folder) => path.join(__dirname, folder, 'jest.config.cjs'))
    .filter((file) => fs.existsSync(file)),
};
