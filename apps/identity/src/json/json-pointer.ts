import type { JsonObject } from '@tidings/contracts/core/deep-merge';

/** A refused pointer, or a refused step that uses it. The message is shown to the client. */
export class PointerError extends Error {}

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,14})$/;

/** The reference tokens of a JSON Pointer (RFC 6901); `""` is the whole document and has none. */
function parsePointer(pointer: string) {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new PointerError('a path is empty or begins with "/"');
  if (/~(?![01])/.test(pointer)) throw new PointerError('"~" stands only in "~0" and "~1"');
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')); // in this order: `~01` is `~1`
}

/**
 * Target of a JSON Pointer: a container and a name in it. Only own members exist: names that every JavaScript object
 * inherits (`constructor`, `toString`) are absent unless the document has them.
 */
export class PointerTarget {
  /** @param container an object, or an array by its indexes. */
  private constructor(
    private readonly container: JsonObject,
    private readonly name: string,
  ) {}

  /** The target of `pointer` in the document. Every token but the last must exist. @throws PointerError */
  static at(root: { document: unknown }, pointer: string) {
    let target = new PointerTarget(root, 'document');
    for (const token of parsePointer(pointer)) {
      const container = target.get();
      if (typeof container !== 'object' || container === null)
        throw new PointerError('the path leads through something that has no members');
      target = new PointerTarget(container as JsonObject, token);
    }
    if (target.name === '__proto__') throw new PointerError('no member may be called "__proto__"');
    return target;
  }

  get() {
    const { container, name } = this;
    if (Array.isArray(container) ? this.index() >= container.length : !Object.hasOwn(container, name)) {
      throw new PointerError('the path does not exist');
    }
    return container[name];
  }

  /** Inserts into an array (`-` is its end), sets the member of an object. */
  add(value: unknown) {
    const { container, name } = this;
    if (!Array.isArray(container)) {
      container[name] = value;
      return;
    }
    const index = name === '-' ? container.length : this.index();
    if (index > container.length) throw new PointerError(`the array has only ${container.length} elements`);
    container.splice(index, 0, value);
  }

  /** Sets an existing value. @throws PointerError when it does not exist. */
  replace(value: unknown) {
    this.get();
    this.container[this.name] = value;
  }

  /** Removes an existing value and returns it. @throws PointerError when it does not exist. */
  remove() {
    const value = this.get();
    if (Array.isArray(this.container)) this.container.splice(Number(this.name), 1);
    else delete this.container[this.name];
    return value;
  }

  private index() {
    if (this.name === '-') throw new PointerError('the path does not exist');
    if (!ARRAY_INDEX.test(this.name)) throw new PointerError('an array is indexed by decimal numbers without leading zeros');
    return Number(this.name);
  }
}
