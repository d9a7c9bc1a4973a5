import { ServiceError } from '@tidings/contracts/core/errors';
import { loopItems } from '../expressions/loop-items';
import { ELEMENTS_RENDERED_MAX } from '../limits';
import type { RenderScope } from '../scope';
import { withPath } from '../with-path';
import { type CompiledBody, type CompiledNode } from './compiled';
import { Fields } from './fields';

/** Channel, provider and locales of a rendering. */
export interface Audience {
  readonly channel: string;
  readonly provider?: string;
  /** Locales in order of preference (`localeChain`). */
  readonly locales: readonly string[];
}

/** Called for each visible element. */
type Visit = (node: CompiledNode, fields: Fields, scope: RenderScope) => void;

/**
 * Visits the visible elements, once per loop iteration: checks `channels`, then `loop`, then `if` per iteration, then chooses the
 * language. Errors are prefixed with the element's path.
 */
export class ElementVisitor {
  private elements = 0;

  constructor(
    private readonly audience: Audience,
    /** `refs` of the visited scopes: readable in expressions and texts of later elements as `refs.<name>`. */
    private readonly refs: Record<string, unknown>,
  ) {}

  each(nodes: readonly CompiledNode[], scope: RenderScope, visit: Visit): void {
    for (const node of nodes) withPath(node.path, () => this.one(node, scope, visit));
  }

  private one(node: CompiledNode, scope: RenderScope, visit: Visit): void {
    if (node.channels && !this.isFor(node.channels)) return this.hide(node);
    if (node.loop === undefined) return this.iterate(node, scope, visit);
    const items = loopItems(node.loop, scope);
    if (items.length === 0) return this.hide(node);
    items.forEach((item, index) => this.iterate(node, { ...scope, item, index }, visit));
  }

  private iterate(node: CompiledNode, scope: RenderScope, visit: Visit): void {
    this.elements += 1;
    scope.budget?.spend(STEPS_PER_ELEMENT);
    if (this.elements > ELEMENTS_RENDERED_MAX) {
      throw new ServiceError('payload_too_large', `The content becomes more than ${ELEMENTS_RENDERED_MAX} elements`);
    }
    if (node.condition && !node.condition(scope)) return this.hide(node);
    const fields = new Fields(this.inLanguage(node), scope);
    if (node.ref !== undefined) this.show(node.ref, fields);
    visit(node, fields, scope);
  }

  private isFor(channels: ReadonlySet<string>): boolean {
    const { channel, provider } = this.audience;
    return channels.has(channel) || (provider !== undefined && channels.has(provider));
  }

  private inLanguage({ body, languages }: CompiledNode): CompiledBody {
    if (languages.size === 0) return body;
    for (const locale of this.audience.locales) {
      const localized = languages.get(locale);
      if (localized) return localized;
    }
    return body;
  }

  /** Marks a ref as invisible unless an earlier iteration was visible. */
  private hide({ ref }: CompiledNode): void {
    if (ref !== undefined && !Object.hasOwn(this.refs, ref)) this.setRef(ref, { visible: false });
  }

  private show(ref: string, fields: Fields): void {
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields.body.fields)) {
      if (typeof value === 'string' && READABLE.has(name)) values[name] = fields.text(name);
      else if (typeof value === 'number' || typeof value === 'boolean') values[name] = value;
    }
    this.setRef(ref, { ...values, visible: true });
  }

  private setRef(ref: string, value: Record<string, unknown>): void {
    Object.defineProperty(this.refs, ref, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** Cost of an element without its texts. */
const STEPS_PER_ELEMENT = 5;

/** Fields of an element that others may read, as they are rendered for it. */
const READABLE = new Set(['content', 'title', 'href', 'src', 'alt_text', 'align', 'text_style', 'color', 'style', 'action_id', 'width']);
