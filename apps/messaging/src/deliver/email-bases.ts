import { Injectable, Logger } from '@nestjs/common';
import { plainLocale, withoutValues } from '@tidings/rendering/message-input';
import { Clock } from '@tidings/runtime/clock';
import { LRUCache } from 'lru-cache';
import { DifferenceBase } from '../record/difference';
import { RenderingBases } from '../record/rendering-bases';
import { type RenderingBase, shortEmail, toBase } from '../record/short-email';
import type { RenderedFields, StoredRendering } from '../record/stored-events';
import type { ToRender } from './start-leaves';
import { Renderer } from './renderer';

/** E-mails of a content, brand and language that are stored whole before it gets a base: a base costs as much as three of them save. */
const WHOLE_MAX = 3;
const NAMES_MAX = 10_000;
/** Shorter HTML is stored whole. */
const HTML_CHARS_MIN = 1_000;
/** A difference is stored if it has at most this share of the characters. */
const SHARE_MAX = 0.5;
/**
 * How long a base is used before it is rendered again, in ms. Any text may be a base, so one that is outdated, as after a change of
 * translations, costs nothing but bytes.
 */
const OUTDATED_MS = 600_000;
/** Characters of cached bases; their indexes take four bytes for each. */
const BASES_CHARS_MAX = 6_000_000;

interface IndexedBase {
  readonly base: RenderingBase;
  readonly index: DifferenceBase;
}

/** A rendering as it is stored, with the base that must be stored before it. */
export interface Shortened {
  readonly stored: RenderedFields;
  readonly base?: RenderingBase;
}

/** Stores what e-mails of one content have in common once: their base is the content rendered without any values (ADR 23). */
@Injectable()
export class EmailBases {
  private readonly logger = new Logger(EmailBases.name);
  /** By name: how often it was stored whole, then its base. Infinity: its content cannot be rendered without values. */
  private readonly made = new LRUCache<string, number | IndexedBase>({
    max: NAMES_MAX,
    maxSize: BASES_CHARS_MAX,
    ttl: OUTDATED_MS,
    sizeCalculation: (made, name) => name.length + (typeof made === 'number' ? 0 : made.base.text.length),
  });

  constructor(
    private readonly renderer: Renderer,
    private readonly bases: RenderingBases,
    private readonly clock: Clock,
  ) {}

  /** The rendering of `one` as it is stored: an e-mail of a template as a difference, where that is much shorter. */
  shorten(one: ToRender, rendering: StoredRendering): Shortened {
    const { output } = rendering;
    if (!output || output.html.length < HTML_CHARS_MIN || one.input.contentKey === undefined) return { stored: rendering };
    if (this.clock.now() < this.bases.startMs) return { stored: rendering };
    const found = this.baseFor(one);
    if (!found) return { stored: rendering };
    const { base, index } = found;
    const whole = output.html + output.text;
    const changes = index.changesTo(whole, whole.length * SHARE_MAX);
    return changes ? { stored: Object.assign({}, rendering, { output: shortEmail(output, base, changes) }), base } : { stored: rendering };
  }

  private baseFor(one: ToRender) {
    const { contentKey, brand, locale, provider } = one.input;
    const name = `${contentKey}\n${brand?.key}\n${plainLocale(locale)}\n${provider}`;
    const made = this.made.get(name) ?? 0;
    if (typeof made === 'object') return made;
    const base = made === WHOLE_MAX ? this.make(one) : undefined;
    if (made <= WHOLE_MAX) this.made.set(name, base ?? (made < WHOLE_MAX ? made + 1 : Infinity));
    return base;
  }

  private make({ workspaceId, input }: ToRender): IndexedBase | undefined {
    try {
      const rendered = this.renderer.here({ workspaceId, input: withoutValues(input) });
      if (typeof rendered !== 'object' || !('output' in rendered) || rendered.output.kind !== 'email') return undefined;
      const base = toBase(workspaceId, rendered.output.email);
      return base && { base, index: new DifferenceBase(base.text) };
    } catch (error) {
      this.logger.warn({ err: error }, 'A template cannot be rendered without values: its e-mails are stored whole');
      return undefined;
    }
  }
}
