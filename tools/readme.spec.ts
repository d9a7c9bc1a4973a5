import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { GUIDES, operationsList, operationsSummary } from '@tidings/contracts/operations-list';
import { configurationTable } from '@tidings/runtime/configuration';
import { kafkaAccessSection } from '@tidings/runtime/kafka-access-page';
import { VENDOR_KINDS } from '@tidings/providers/kinds';
import { vendorPage } from '@tidings/providers/vendor/vendor-page';
import { metricsList } from '@tidings/runtime/metrics-page';

const root = path.dirname(__dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('README', () => {
  it('has at most 130 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
  });

  it('lists in short which operations are served, and what the others answer', () => {
    const [, shown] = /<!-- operations:begin -->\n([\s\S]*?)<!-- operations:end -->/.exec(read('README.md'))!;
    // To renew it, and docs/operations.md: node tools/write-operations.mjs
    expect(shown!.trim()).toBe(operationsSummary());
  });

  it('names the versions of Node in package.json', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const versions = engines.node.replaceAll('>=', '≥ ').replaceAll('<', '< ').replaceAll('||', 'or').replaceAll(/\.0\b/g, '');

    expect(read('README.md')).toContain(`Node ${versions},`);
  });
});

describe('shell examples', () => {
  const pagesOf = (folder: string): string[] =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  const examples = readdirSync(path.join(root, 'examples')).map((name) => `examples/${name}/README.md`);
  const pages = ['README.md', 'CONTRIBUTING.md', ...examples, ...pagesOf('docs'), ...pagesOf('docs/providers')];
  const scripts = pages.map((page): [string, string] => [
    page,
    [...read(page).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, script]) => script).join(''),
  ]);
  const used = scripts.filter(([, script]) => script !== '');

  it.each(used)('of %s set every variable before they use it', (_page, script) => {
    const unset = [...script.matchAll(/\$\{?([A-Z_]+)/g)].filter(
      ({ 1: name, index }) => !new RegExp(`(?:^|\\s)${name}=`).test(script.slice(0, index)),
    );
    expect(unset.map(([, name]) => name)).toEqual([]);
  });

  it.each(used)('of %s can be pasted: a shell parses them, and no generated id is in a path', (_page, script) => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(script.match(/<[A-Za-z][\w -]*>|\/(?:1-[0-9a-f]{8}-|[a-z]{2,3}_)[\w-]{12,}/g) ?? []).toEqual([]);
  });
});

describe('examples of docs', () => {
  const pages = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const blocksOf = (page: string, language: string): string[] =>
    [...read(`docs/${page}`).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block!);

  it.each(pages)('of %s name only templates that the page created, and nothing that it removed', (page) => {
    const script = blocksOf(page, 'sh').join('');
    const templates = [...script.matchAll(/\$URL\/notifications\/(\w[\w-]*)/g)].map(([, name]) => name!);
    expect(templates.filter((name) => !script.includes(`"alias": "${name}"`))).toEqual([]);

    const removals = [...script.matchAll(/-X DELETE "?(\$URL\/[\w/]+\/\$[A-Z]+)/g)];
    expect(removals.filter(({ 0: removal, 1: target, index }) => script.slice(index + removal.length).includes(target!))).toEqual([]);
  });

  it.each(pages)('of %s show every rendered output with its channel', (page) => {
    const outputs = blocksOf(page, 'json').flatMap((block) => [...block.matchAll(/"channel": "(\w+)",\s*"channel_id": "(\w*)"/g)]);
    expect(outputs.filter(([, channel, id]) => !id!.startsWith(channel!)).map(([shown]) => shown)).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  it('shows the table that processes are checked against', () => {
    const [, shown] = /<!-- configuration:begin -->\n([\s\S]*?)<!-- configuration:end -->/.exec(read('docs/configuration.md'))!;
    // To renew it: node tools/write-configuration.mjs
    expect(shown!.trim()).toBe(configurationTable().trim());
  });
});

describe('docs/kafka-access.md', () => {
  it('shows the rights that the code needs', () => {
    const [, shown] = /<!-- kafka-access:begin -->\n([\s\S]*?)<!-- kafka-access:end -->/.exec(read('docs/kafka-access.md'))!;
    // To renew it: node tools/write-kafka-access.mjs
    expect(shown!.trim()).toBe(kafkaAccessSection());
  });
});

describe('docs/metrics.md', () => {
  it('lists the metrics that the code has', () => {
    const [, shown] = /<!-- metrics:begin -->\n([\s\S]*?)<!-- metrics:end -->/.exec(read('docs/metrics.md'))!;
    // To renew it: node tools/write-metrics.mjs
    expect(shown!.trim()).toBe(metricsList());
  });
});

describe('docs/providers', () => {
  it('has the page of each vendor as its definition writes it, and no other', () => {
    // To renew them: node tools/write-providers.mjs
    const pages = readdirSync(path.join(root, 'docs/providers')).map((name) => [name, read(`docs/providers/${name}`)]);
    expect(Object.fromEntries(pages)).toEqual(Object.fromEntries(VENDOR_KINDS.map((kind) => [`${kind.key}.md`, vendorPage(kind)])));
  });

  it('is linked from docs/providers.md', () => {
    const page = read('docs/providers.md');
    expect(VENDOR_KINDS.filter(({ key }) => !page.includes(`](providers/${key}.md)`))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('lists the operations as they are', () => {
    expect(read('docs/operations.md')).toBe(operationsList());
  });

  it('names pages that exist', () => {
    const missing = Object.values(GUIDES)
      .flat()
      .filter((page) => !existsSync(path.join(root, 'docs', page)));
    expect(missing).toEqual([]);
  });
});
