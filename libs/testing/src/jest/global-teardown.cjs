require('../../typescript-hook.cjs');
module.exports = require('./global-setup.ts').tearDown;
