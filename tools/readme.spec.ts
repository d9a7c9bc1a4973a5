import { readFileSync } from 'node:fs';
import path from 'node:path';
import { configurationTable } from '@tidings/runtime/configuration';

describe('README', () => {
  it('shows the configuration as it is', () => {
    const readme = readFileSync(path.join(path.dirname(__dirname), 'README.md'), 'utf8');
    const [, shown] = /<!-- configuration:begin -->\n([\s\S]*?)<!-- configuration:end -->/.exec(readme)!;
    // To renew it: node tools/write-configuration.mjs
    expect(shown!.trim()).toBe(configurationTable().trim());
  });
});
