import { render, type RenderInput } from '@tidings/rendering/render';
import Handlebars from 'handlebars';
import { type Bench, describeRun, runBench } from './bench';
import { parseOptions } from './options';
import { mediumEmail, SIMPLE } from './render-contents';
import { figure, printTable, spread } from './report';
import { spreadOf } from './statistics';

/** Renders of a round. */
const DEFAULTS = { sends: 5_000, connections: 1, rounds: 5 };
const WARM_UP = 2_000;
const TARGET_PER_SECOND = 2_000;

type Candidate = readonly [name: string, renderOne: (i: number) => number];

/** Renders per second of one core with everything compiled, against Handlebars rendering the same documents. */
async function renders(_bench: Bench): Promise<void> {
  const { sends, rounds } = parseOptions(DEFAULTS);
  console.log(describeRun());
  const candidates: readonly Candidate[] = [
    ['medium e-mail, brand', (i) => charsOf(mediumEmail(valueOf(i)))],
    ['Handlebars, the same document', handlebarsOf(mediumEmail)],
    ['the same as SMS', (i) => charsOf({ ...mediumEmail(valueOf(i)), channel: 'sms' })],
    ['simple e-mail, no brand', (i) => charsOf(simpleEmail(valueOf(i)))],
    ['Handlebars, the same document ', handlebarsOf(simpleEmail)],
  ];
  const chars = candidates.map(([, renderOne]) => {
    for (let i = 0; i < WARM_UP; i += 1) renderOne(i);
    return renderOne(7);
  });
  assertSameDocument(chars[0], chars[1]);

  const microseconds = candidates.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    candidates.forEach(([, renderOne], which) => microseconds[which]?.push(cpuMicroseconds(sends, renderOne)));
  }
  printTable(
    `render: ${figure(sends)} renders, ${rounds} rounds`,
    ['', 'characters', 'CPU µs each', 'per second of a core'],
    candidates.map(([name], which) => {
      const each = microseconds[which] ?? [];
      return [name.trim(), figure(chars[which] ?? 0), spread(each), spread(each.map((us) => 1_000_000 / us))];
    }),
  );
  const median = (which: number) => spreadOf(microseconds[which] ?? []).median;
  console.log(
    `  Medium e-mail ÷ Handlebars: ${figure(median(0) / median(1))} times its CPU; simple: ${figure(median(3) / median(4))} times.`,
  );
  console.log(`  Target: ${figure(TARGET_PER_SECOND)}/s of the medium e-mail; reached ${figure(1_000_000 / median(0))}/s.`);
}

function simpleEmail(value: (path: string) => string): RenderInput {
  const { scope } = mediumEmail(value);
  return { channel: 'email', content: SIMPLE, scope };
}

/** Value of a variable in render `i`. */
const valueOf = (i: number) => (path: string) => `${path.length} of ${i}`;

function charsOf(input: RenderInput): number {
  const output = render(input)?.output;
  if (output?.kind === 'email') return output.email.subject.length + output.email.html.length + output.email.text.length;
  return output?.kind === 'sms' ? output.sms.text.length : 0;
}

/**
 * The floor: the product's own document with `{{path}}` instead of each value, as one Handlebars template without elements,
 * addresses or loops.
 */
function handlebarsOf(inputOf: (value: (path: string) => string) => RenderInput): (i: number) => number {
  const output = render(inputOf((path) => `{{${path}}}`))?.output;
  if (output?.kind !== 'email') throw new Error('The floor is an e-mail');
  const parts = [output.email.subject, output.email.html, output.email.text].map((part) =>
    Handlebars.compile(part.replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}').replaceAll('%5B', '[').replaceAll('%5D', ']'), {
      noEscape: false,
    }),
  );
  return (i) => {
    const { scope } = inputOf(valueOf(i));
    const values = { ...(scope.data as object), profile: scope.profile };
    return parts.reduce((chars, template) => chars + template(values).length, 0);
  };
}

/** @throws when the lengths differ by more than 2 %: only the product encodes addresses, so small differences are normal */
function assertSameDocument(ours = 0, floor = 0): void {
  if (Math.abs(ours - floor) > ours * 0.02) throw new Error(`The floor renders another document: ${floor} characters, not ${ours}`);
}

function cpuMicroseconds(times: number, renderOne: (i: number) => number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) renderOne(i);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

runBench(renders);
