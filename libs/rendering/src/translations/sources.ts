import { LruCache } from '../lru-cache';
import { timeCompile } from '../time-compile';
import { type Catalogue, compileCatalogue } from './catalogue';
import { chainOf } from './catalogue-chain';
import type { RenderBudget } from '../render-budget';
import type { Translator } from './translator';

const CATALOGUES_CACHED = 100;
const CATALOGUE_CHARS_CACHED = 20_000_000;
/** Characters of a catalogue that cost as much as one character of Markdown. */
const PER_CHAR = 10;

const catalogues = new LruCache<Catalogue>(CATALOGUES_CACHED, CATALOGUE_CHARS_CACHED);

/** A translator of catalogue texts in order; undefined without any. Each is compiled on its first query, charged to `budget`. */
export function catalogueOfSources(sources: readonly string[], budget?: RenderBudget): Translator | undefined {
  return sources.length === 0 ? undefined : chainOf(sources.map((source) => catalogueOfSource(source, budget)));
}

function catalogueOfSource(source: string, budget: RenderBudget | undefined): Translator {
  let catalogue: Catalogue | undefined;
  return {
    translate(msgid, options) {
      catalogue ??= catalogues.get(source, () => {
        budget?.spendReading(source.length / PER_CHAR);
        return timeCompile(() => compileCatalogue(source));
      });
      return catalogue.translate(msgid, options);
    },
  };
}
