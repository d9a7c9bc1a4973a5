/**
 * Characters of a block: copies begin where a whole block of the base is found. Shorter common parts cost as much as a copy. A hash of
 * 32 bits is rotated by 2 for each of its characters, so the first one is in its old position when it leaves the block.
 */
const BLOCK = 16;
/** Blocks with the same hash that are tried at one position: repeated blocks must not make a difference quadratic. */
const CANDIDATES_MAX = 8;
/** Approximate characters of a copy in JSON: `1234,567,`. */
const COPY_CHARS = 9;
/** Characters compared at once, in half the time. */
const CHUNK = 128;

/** A text as changes of a base, in order: a number is the offset of a copy, the next number its length; a text is inserted. */
export type Changes = readonly (number | string)[];

/** A base with an index of its blocks, for many differences. */
export class DifferenceBase {
  /** Offsets of the blocks with a hash. */
  private readonly blocks = new Map<number, number[]>();

  constructor(readonly text: string) {
    for (let offset = 0; offset + BLOCK <= text.length; offset += BLOCK) {
      const hash = hashOf(text, offset);
      const offsets = this.blocks.get(hash);
      if (!offsets) this.blocks.set(hash, [offset]);
      else if (offsets.length < CANDIDATES_MAX) offsets.push(offset);
    }
  }

  /**
   * The changes that make `text` from this base: `applyChanges` is the exact inverse. Undefined where they would take more than `charsMax`
   * characters. Linear in the text's length. Greedy: after a copy that ends, the next block of the text that the base has begins another,
   * preferably behind the last one. A well-formed text has well-formed insertions.
   */
  changesTo(text: string, charsMax = Infinity): Changes | undefined {
    const { text: base } = this;
    const changes: (number | string)[] = [];
    let chars = 0;
    let written = 0;
    let expected = 0;
    let hash = hashOf(text, 0);
    for (let at = 0; at + BLOCK <= text.length && chars + at - written <= charsMax;) {
      const found = this.find(text, at, hash, expected);
      if (found === undefined) {
        hash = rotated(hash) ^ text.charCodeAt(at) ^ text.charCodeAt(at + BLOCK);
        at += 1;
        continue;
      }
      let start = at;
      const shift = found - at;
      while (start > written && start + shift > 0 && text.charCodeAt(start - 1) === base.charCodeAt(start + shift - 1)) start -= 1;
      let end = at + commonLength(text, at, base, found);
      // Halves of surrogate pairs cannot be stored.
      if (start > written && cutsPair(text, start)) start += 1;
      if (cutsPair(text, end)) end -= 1;
      if (start > written) changes.push(text.slice(written, start));
      changes.push(start + shift, end - start);
      chars += start - written + COPY_CHARS;
      written = end;
      at = end;
      expected = end + shift;
      hash = hashOf(text, at);
    }
    if (written < text.length) changes.push(text.slice(written));
    return chars + text.length - written > charsMax ? undefined : changes;
  }

  /** Offset of a block of the base that equals the one of `text` at `at`; the first one from `expected` on, else any. */
  private find(text: string, at: number, hash: number, expected: number) {
    const offsets = this.blocks.get(hash);
    if (!offsets) return undefined;
    const block = text.slice(at, at + BLOCK);
    const equal = offsets.filter((offset) => this.text.startsWith(block, offset));
    return equal.find((offset) => offset >= expected) ?? equal[0];
  }
}

/** The text that `changes` make from the base. @throws Error where they do not fit the base */
export function applyChanges(base: string, changes: Changes): string {
  let text = '';
  for (let index = 0; index < changes.length; index += 1) {
    const change = changes[index]!;
    if (typeof change === 'string') {
      text += change;
      continue;
    }
    const length = changes[(index += 1)];
    if (typeof length !== 'number' || change < 0 || length < 0 || change + length > base.length) {
      throw new Error(`A copy of ${length} characters from ${change} exceeds its base of ${base.length}`);
    }
    text += base.slice(change, change + length);
  }
  return text;
}

/** Whether `at` is between the halves of a surrogate pair. */
function cutsPair(text: string, at: number) {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function commonLength(text: string, at: number, base: string, offset: number) {
  const max = Math.min(text.length - at, base.length - offset);
  let length = 0;
  while (length + CHUNK <= max && text.slice(at + length, at + length + CHUNK) === base.slice(offset + length, offset + length + CHUNK)) {
    length += CHUNK;
  }
  while (length < max && text.charCodeAt(at + length) === base.charCodeAt(offset + length)) length += 1;
  return length;
}

/** Hash of the block of `text` at `at`. */
function hashOf(text: string, at: number) {
  let hash = 0;
  for (let index = at; index < at + BLOCK; index += 1) hash = rotated(hash) ^ text.charCodeAt(index);
  return hash;
}

function rotated(hash: number) {
  return (hash << 2) | (hash >>> 30);
}
