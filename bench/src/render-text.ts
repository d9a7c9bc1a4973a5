import { compileText } from '@tidings/rendering/text/template-text';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import Handlebars from 'handlebars';
import { describeRun, runBench } from './bench';
import { figure, printTable, spread } from './report';

/** A medium text: variables, conditions, a loop of five and common helpers. */
const TEXT = `<p>Hello {{name}},</p>
<p>thank you for your order {{order.id}} of {{order.date}}. {{#if order.paid}}It is paid.{{else}}Please pay {{order.total}} by {{order.due}}.{{/if}}</p>
<table>{{#each order.lines}}
<tr><td>{{@index}}</td><td>{{name}}</td><td>{{quantity}}</td><td>{{price}} {{../order.currency}}</td></tr>{{/each}}
</table>
<p>{{#with address}}{{street}}, {{zip}} {{city}}{{/with}}</p>
<p>{{#unless subscribed}}<a href="{{urls.subscribe}}">Subscribe</a>{{/unless}} Yours, {{sender.name}}</p>
`;

const DATA = {
  name: 'Jane Doe',
  sender: { name: 'Ann & Bob' },
  subscribed: false,
  urls: { subscribe: 'https://example.org/subscribe?a&b' },
  address: { street: 'Main Street 1', zip: '53111', city: 'Bonn' },
  order: {
    id: 4711,
    date: '2026-03-01',
    paid: false,
    total: '99.50',
    due: '2026-04-01',
    currency: 'EUR',
    lines: Array.from({ length: 5 }, (_, i) => ({ name: `Item <${i}>`, quantity: i + 1, price: `${i}.90` })),
  },
};

const ROUNDS = 7;
const ROUND_MS = 500;
const HOPS = 2_000;

/** Texts per second of one core, against Handlebars alone on the same text, and the duration of a hop to the pool. */
runBench(async (bench) => {
  const ours = compileText(TEXT, 'html');
  const bare = Handlebars.compile(TEXT);
  const renders = { ours: () => ours({ data: DATA }), handlebars: () => bare(DATA) };
  if (renders.ours() !== renders.handlebars()) throw new Error('Tidings and Handlebars render different texts: they cannot be compared');

  const rates = { ours: [] as number[], handlebars: [] as number[] };
  for (const render of Object.values(renders)) ratePerSecond(render);
  // Alternating, so that other load on the machine affects both.
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.ours.push(ratePerSecond(renders.ours));
    rates.handlebars.push(ratePerSecond(renders.handlebars));
  }
  const ratios = rates.ours.map((rate, i) => rate / rates.handlebars[i]!);

  const pool = new RenderPool({ threads: 2 });
  bench.atEnd('pool', () => pool.close());
  const job = { content: { title: TEXT }, channel: 'sms', scope: { data: DATA } };
  for (let i = 0; i < 100; i += 1) await pool.run('warm', 'render', job);
  const started = performance.now();
  for (let i = 0; i < HOPS; i += 1) await pool.run('w', 'render', job);
  const hopUs = (1_000 * (performance.now() - started)) / HOPS;

  console.log(describeRun());
  printTable(
    `A text of ${TEXT.length} characters, compiled, one core`,
    ['', 'texts/s', 'µs each'],
    [
      ['Tidings (own properties, bounds, values escaped)', spread(rates.ours), figure(1e6 / median(rates.ours))],
      ['Handlebars alone', spread(rates.handlebars), figure(1e6 / median(rates.handlebars))],
      ['ratio', spread(ratios), ''],
      ['through the pool, one after the other', figure(1e6 / hopUs), figure(hopUs)],
    ],
  );
});

function ratePerSecond(render: () => string): number {
  const started = performance.now();
  let count = 0;
  let chars = 0;
  while (performance.now() - started < ROUND_MS) {
    for (let i = 0; i < 100; i += 1) chars += render().charCodeAt(5);
    count += 100;
  }
  if (chars === 0) throw new Error('Nothing was rendered');
  return (count * 1_000) / (performance.now() - started);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
