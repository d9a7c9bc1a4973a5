import { ServiceError } from '@tidings/contracts/core/errors';
import { loopItems } from '../expressions/loop-items';
import { ELEMENTS_RENDERED_MAX } from '../limits';
import { BudgetSpent } from '../render-budget';
import { type RenderScope, warn } from '../scope';
import { type CompiledBody, type CompiledNode } from './compiled';
import { Fields } from './fields';

/** For whom content is rendered. */
export interface Audience {
  readonly channel: string;
  readonly provider?: string;
  /** Where content in the recipient's language is looked for (`localeChain`). */
  readonly locales: readonly string[];
}

/** What is done with each element that is there. */
type Visit = (node: CompiledNode, fields: Fields, scope: RenderScope) => void;

/**
 * Decides which elements are there, and how often: `channels`, then `loop`, then `if` for each turn, then the language. What
 * goes wrong in an element is told with its place.
 */
export class ElementVisitor {
  private elements = 0;
  /** Readable in expressions and texts of later elements as `refs.<name>`. */
  private readonly refs: Record<string, unknown>;

  constructor(
    readonly audience: Audience,
    /** `refs` of the scopes that are walked with. */
    refs: Record<string, unknown>,
  ) {
    this.refs = refs;
  }

  each(nodes: readonly CompiledNode[], scope: RenderScope, visit: Visit): void {
    for (const node of nodes) {
      try {
        this.one(node, scope, visit);
      } catch (error) {
        throw withPath(error, node.path);
      }
    }
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
      const fieldsOf_ = languages.get(locale);
      if (fieldsOf_) return fieldsOf_;
    }
    return body;
  }

  /** One visible turn of a loop is enough to be visible. */
  private hide({ ref }: CompiledNode): void {
    if (ref !== undefined && !Object.hasOwn(this.refs, ref)) this.setRef(ref, { visible: false });
  }

  private show(ref: string, fields: Fields): void {
    const fieldsOf_: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields.body.fields)) {
      if (typeof value === 'string' && READABLE.has(name)) fieldsOf_[name] = fields.text(name);
      else if (typeof value === 'number' || typeof value === 'boolean') fieldsOf_[name] = value;
    }
    this.setRef(ref, { ...fieldsOf_, visible: true });
  }

  private setRef(ref: string, value: Record<string, unknown>): void {
    Object.defineProperty(this.refs, ref, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** What an element costs beside its texts. */
const STEPS_PER_ELEMENT = 5;

/** Fields of an element that others may read, as they are rendered for it. */
const READABLE = new Set(['content', 'title', 'href', 'src', 'alt_text', 'align', 'text_style', 'color', 'style', 'action_id', 'width']);

function withPath(error: unknown, path: string): unknown {
  // A spent budget says nothing of one element, and is known by its class.
  if (!(error instanceof ServiceError) || error instanceof BudgetSpent || error.message.startsWith('elements[')) return error;
  return new ServiceError(error.code, `${path}: ${error.message}`, error.hints);
}

/** Tells the author of something that was left out. */
export function leftOut(scope: RenderScope, path: string, why: string): void {
  warn(scope, `${path}: ${why}`);
}
