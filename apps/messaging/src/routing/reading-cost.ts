import type { ResolvedBrand } from '@tidings/contracts/content/sending-brands';
import type { MessageContent } from '@tidings/contracts/messaging/events';
import { readingCost } from '@tidings/rendering/text/template-bounds';

/** Catalogues up to this length together are read on the calling thread, once: some tens of milliseconds. */
const CATALOGUES_CHARS_MAX = 100_000;
/** MJML takes a hundred times as long as anything else of its length. */
const MJML_COST = 1_000_000;

const costs = new WeakMap<object, number>();

/** What reading these for the first time costs, as `readingCost` counts. */
export function readingCostOf(content: MessageContent, brand: ResolvedBrand | null, catalogues: readonly string[]): number {
  const catalogueChars = catalogues.reduce((chars, { length }) => chars + length, 0);
  const overhang = catalogueChars > CATALOGUES_CHARS_MAX ? catalogueChars : 0;
  return costOf(content) + (brand ? costOf(brand) : 0) + overhang;
}

/** The same template and brand are asked about with every message. */
function costOf(value: MessageContent | ResolvedBrand): number {
  let cost = costs.get(value);
  if (cost === undefined) {
    const text = JSON.stringify(value);
    const transformsMjml = 'elements' in value && text.includes('"mjml"');
    cost = readingCost(text) + (transformsMjml ? MJML_COST : 0);
    costs.set(value, cost);
  }
  return cost;
}
