import { ServiceError } from '@tidings/contracts/core/errors';
import { loopItems } from '../expressions/loop-items';
import type { RenderScope } from '../scope';
import { withPath } from '../with-path';
import type { CompiledNode } from './compile';
import { Fields } from './fields';

/** Elements of one rendering, counting those of every loop iteration. */
export const ELEMENTS_RENDERED_MAX = 10_000;

/** Channel, provider and locales of a rendering. */
export interface Audience {
  readonly channel: string;
  readonly provider?: string;
  /** Locales in order of preference (`localeChain`). */
  readonly locales: readonly string[];
}

/**
 * Visits the visible elements, once per loop iteration: checks `channels`, then `loop`, then `if` per iteration, then chooses the
 * language. Errors are prefixed with the element's path.
 */
export class ElementVisitor {
  /** Elements with a `ref`: expressions and texts of later elements read them as `refs.<name>`. */
  readonly refs = Object.create(null) as Record<string, unknown>;
  private elements = 0;

  constructor(private readonly audience: Audience) {}

  /** What `visit` makes of each visible element. */
  flatMap<Result>(nodes: readonly CompiledNode[], scope: RenderScope, visit: (fields: Fields) => readonly Result[]): Result[] {
    const results: Result[] = [];
    const add = (fields: Fields) => {
      for (const result of visit(fields)) results.push(result);
    };
    for (const node of nodes) withPath(node.path, () => this.eachVisible(node, scope, add));
    return results;
  }

  private eachVisible(node: CompiledNode, scope: RenderScope, visit: (fields: Fields) => void) {
    const scopes = this.isFor(node) ? scopesOf(node, scope) : [];
    if (scopes.length === 0) this.hide(node);
    for (const inner of scopes) {
      this.elements += 1;
      scope.budget?.spend(STEPS_PER_ELEMENT);
      if (this.elements > ELEMENTS_RENDERED_MAX) {
        throw new ServiceError('payload_too_large', `The content becomes more than ${ELEMENTS_RENDERED_MAX} elements`);
      }
      if (node.condition && !node.condition(inner)) {
        this.hide(node);
        continue;
      }
      const fields = new Fields(node, inner, this.inLanguage(node));
      if (node.ref !== undefined) this.show(node.ref, fields);
      visit(fields);
    }
  }

  private isFor({ channels }: CompiledNode) {
    const { channel, provider } = this.audience;
    return !channels || channels.has(channel) || (provider !== undefined && channels.has(provider));
  }

  private inLanguage({ body, languages }: CompiledNode) {
    for (const locale of this.audience.locales) {
      const localized = languages.get(locale);
      if (localized) return localized;
    }
    return body;
  }

  /** Marks a ref as invisible unless an earlier iteration was visible. */
  private hide({ ref }: CompiledNode) {
    if (ref !== undefined) this.refs[ref] ??= { visible: false };
  }

  private show(ref: string, fields: Fields) {
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields.body.fields)) {
      if (typeof value === 'string' && READABLE.has(name)) values[name] = fields.text(name);
      else if (typeof value === 'number' || typeof value === 'boolean') values[name] = value;
    }
    this.refs[ref] = { ...values, visible: true };
  }
}

/** One scope per iteration of a loop. */
function scopesOf({ loop }: CompiledNode, scope: RenderScope): readonly RenderScope[] {
  return loop === undefined ? [scope] : loopItems(loop, scope).map((item, index) => ({ ...scope, item, index }));
}

/** Cost of an element without its texts. */
const STEPS_PER_ELEMENT = 5;

/** Fields of an element that others may read, as they are rendered for it. */
const READABLE = new Set(['content', 'title', 'href', 'src', 'alt_text', 'align', 'text_style', 'color', 'style', 'action_id', 'width']);
