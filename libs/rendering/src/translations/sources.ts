import { LruCache } from '../lru-cache';
import { timeCompile } from '../time-compile';
import { type Catalogue, compileCatalogue } from './catalogue';
import { chainOf } from './catalogue-chain';
import type { RenderBudget } from '../render-budget';
import type { Translator } from './translator';

const CATALOGUES_CACHED = 100;
const CATALOGUE_CHARS_CACHED = 20_000_000;
/** Reading a catalogue is so many times quicker than as many characters of Markdown. */
const PER_CHAR = 10;

const catalogues = new LruCache<Catalogue>(CATALOGUES_CACHED, CATALOGUE_CHARS_CACHED);

/** One translator of catalogues given as texts, asked in their order; undefined of none. Each is read once, when it is first asked; `budget` pays for it. */
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
