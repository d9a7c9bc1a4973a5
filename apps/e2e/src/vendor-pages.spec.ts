import { cleanUp } from '@tidings/providers/http/receiver.fixture';
import { MATRICES } from '@tidings/providers/vendor/matrices.fixture';
import { startVendor, type VendorMatrix } from '@tidings/providers/vendor/matrix.fixture';
import { SharedSystem } from './testing/shared-system';
import { examplesOf, runExample } from './testing/shell-examples';

/** Settings of pages that no peer has. */
const FURTHER = { messaging_service_sid: `MG${'1'.repeat(32)}` };

type Values = Readonly<Record<string, unknown>>;

/** The example with a value for each text with `…`, and with the addresses of the peer among the settings. */
function filled(example: string, values: Values, origin: string): string {
  const quoted = (value: unknown) => JSON.stringify(value).replaceAll("'", `'\\''`);
  const withValues = example.replace(/"(\w+)": ("(?:[^"\\]|\\.)*")/g, (whole, name: string, shown: string) => {
    if (!shown.includes('…')) return whole;
    if (values[name] === undefined) throw new Error(`There is no value for ${name} (${shown})`);
    return `"${name}": ${quoted(values[name])}`;
  });
  const addresses = Object.entries(values).filter(([name, value]) => value === origin && !example.includes(`"${name}":`));
  const lines = addresses.map(([name, value]) => `\n    "${name}": ${quoted(value)},`);
  return withValues.replace('"settings": {', (start) => `${start}${lines.join('')}`);
}

function tokenOf({ message: { recipient } }: VendorMatrix) {
  return recipient.channel === 'push' ? recipient.tokens[0]!.token : undefined;
}

describe('the page of a vendor, run by a shell as it is written,', () => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await SharedSystem.join();
  });
  afterEach(cleanUp);
  afterAll(() => system?.leave());

  it.each(MATRICES.map((matrix) => [matrix.kind.key, matrix] as const))('configures, tests and sends: %s', async (key, matrix) => {
    const { kind, rows, sends = 'send', test } = matrix;
    const page = `docs/providers/${key}.md`;
    const { peer, settings } = await startVendor(matrix);
    const isTestedBySending = typeof test !== 'string' && test.operation === sends;
    if (typeof test !== 'string') peer.scripts.set(test.operation, test.good);
    // Then the script of the messages follows that of the test.
    if (isTestedBySending)
      peer.scripts.set(sends, (answer) => {
        peer.scripts.set(sends, rows.accepted.answer);
        answer.writeHead(test.good.status).end(JSON.stringify(test.good.body));
      });
    const token = tokenOf(matrix);
    const client = await system.otherClient();
    const example = filled(examplesOf(page, 'sh').join(''), { ...FURTHER, ...settings, token }, peer.url);

    const { printed, statuses } = await runExample(example, client);

    const { callback } = kind.page;
    expect(statuses).toEqual([201, 200, ...(token === undefined ? [] : [204]), 202, ...(callback ? [200] : [])]);
    const [tested, sent, address] = printed;
    expect(JSON.parse(tested!)).toEqual(JSON.parse(examplesOf(page, 'json')[0]!));
    if (callback) expect(address).toMatch(new RegExp(`^https://notify\\.example\\.com/providers/callback/${key}/prv_[\\w-]+/[\\w-]+$`));
    const { requestId } = JSON.parse(sent!) as { requestId: string };
    expect(await client.messageOnce('SENT', requestId)).toMatchObject({ providers: [{ provider: key, status: 'SENT' }] });
    expect(peer.problems).toEqual([]);
    expect(peer.received(sends)).toHaveLength(isTestedBySending ? 2 : 1);
  });
});
