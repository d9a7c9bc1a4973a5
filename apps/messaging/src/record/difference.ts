/** Characters of a block: copies begin where a whole block of the base is found. Shorter common parts cost as much as a copy. */
const BLOCK = 16;
/** Blocks with the same hash that are tried at one position: repeated blocks must not make a difference quadratic. */
const CANDIDATES_MAX = 8;
/** Approximate characters of a copy in JSON: `1234,567,`. */
const COPY_CHARS = 9;
/** Characters compared at once. */
const CHUNK = 128;
const MULTIPLIER = 0x01000193;
/** `MULTIPLIER` to the power of `BLOCK - 1`: the weight of the first character of a block. */
const FIRST_WEIGHT = weightOf(BLOCK - 1);

/** A text as changes of a base, in order: a number is the offset of a copy, the next number its length; a text is inserted. */
export type Changes = readonly (number | string)[];

/** A base with an index of its blocks, for many differences. Memory: about a byte a character of the base. */
export class DifferenceBase {
  private readonly shift: number;
  /** By hash: 1 + the number of the first block; 0: none. */
  private readonly firsts: Int32Array;
  /** By block: 1 + the number of the next block with the same hash; 0: none. */
  private readonly nexts: Int32Array;

  constructor(readonly text: string) {
    const count = Math.floor(text.length / BLOCK);
    const bits = Math.max(4, Math.ceil(Math.log2(count + 1)) + 1);
    this.shift = 32 - bits;
    this.firsts = new Int32Array(2 ** bits);
    this.nexts = new Int32Array(count);
    for (let block = count - 1; block >= 0; block -= 1) {
      const slot = this.slotOf(hashOf(text, block * BLOCK));
      this.nexts[block] = this.firsts[slot]!;
      this.firsts[slot] = block + 1;
    }
  }

  /**
   * The changes that make `text` from this base: `applyChanges` is the exact inverse. Undefined where they would take more than `charsMax`
   * characters. Linear in the text's length. Greedy: after a copy that ends, the next block of the text that the base has begins another,
   * preferably behind the last one. A well-formed text has well-formed insertions.
   */
  changesTo(text: string, charsMax = Infinity): Changes | undefined {
    const changes: (number | string)[] = [];
    let chars = 0;
    let written = 0;
    for (let expected = 0; written < text.length;) {
      const found = this.find(text, written, expected);
      const inserted = found ? found.start - written : text.length - written;
      chars += inserted + (found ? COPY_CHARS : 0);
      if (chars > charsMax) return undefined;
      if (inserted > 0) changes.push(text.slice(written, written + inserted));
      if (!found) break;
      const { start, end, offset } = found;
      changes.push(offset, end - start);
      written = end;
      expected = offset + end - start;
    }
    return changes;
  }

  /** The next part of `text` from `from` on that is a part of the base: one with at least one block of the base. */
  private find(text: string, from: number, expected: number) {
    const { text: base } = this;
    const last = text.length - BLOCK;
    if (from > last) return undefined;
    let hash = hashOf(text, from);
    for (let at = from; ; at += 1) {
      const block = this.offsetOf(text, at, hash, expected);
      if (block >= 0) {
        let back = 0;
        while (at - back > from && block > back && text.charCodeAt(at - back - 1) === base.charCodeAt(block - back - 1)) back += 1;
        return wholeCharacters(text, from, at - back, at + commonLength(text, at, base, block), block - back);
      }
      if (at >= last) return undefined;
      hash = (Math.imul(hash - Math.imul(text.charCodeAt(at), FIRST_WEIGHT), MULTIPLIER) + text.charCodeAt(at + BLOCK)) | 0;
    }
  }

  /** Offset of a block of the base that equals the one of `text` at `at`; the first one from `expected` on, else any; -1: none. */
  private offsetOf(text: string, at: number, hash: number, expected: number) {
    let found = -1;
    let next = this.firsts[this.slotOf(hash)]!;
    for (let tried = 0; next > 0 && tried < CANDIDATES_MAX; tried += 1) {
      const offset = (next - 1) * BLOCK;
      if (hasBlock(text, at, this.text, offset)) {
        if (offset >= expected) return offset;
        if (found < 0) found = offset;
      }
      next = this.nexts[next - 1]!;
    }
    return found;
  }

  private slotOf(hash: number) {
    return Math.imul(hash, 0x9e3779b1) >>> this.shift;
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

/** The copy without a surrogate whose other half is not copied: halves cannot be stored. */
function wholeCharacters(text: string, from: number, start: number, end: number, offset: number) {
  const cutsFirst = start > from && isLowSurrogate(text, start) && isHighSurrogate(text, start - 1);
  const cutsLast = isHighSurrogate(text, end - 1) && isLowSurrogate(text, end);
  return { start: start + Number(cutsFirst), end: end - Number(cutsLast), offset: offset + Number(cutsFirst) };
}

function isHighSurrogate(text: string, at: number) {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, at: number) {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

function commonLength(text: string, at: number, base: string, offset: number) {
  const max = Math.min(text.length - at, base.length - offset);
  let length = 0;
  // Slices are compared several characters at once, in half the time.
  while (length + CHUNK <= max && text.slice(at + length, at + length + CHUNK) === base.slice(offset + length, offset + length + CHUNK)) {
    length += CHUNK;
  }
  while (length < max && text.charCodeAt(at + length) === base.charCodeAt(offset + length)) length += 1;
  return length;
}

function hasBlock(text: string, at: number, base: string, offset: number) {
  for (let index = 0; index < BLOCK; index += 1) if (text.charCodeAt(at + index) !== base.charCodeAt(offset + index)) return false;
  return true;
}

/** Hash of the block of `text` at `at`. */
function hashOf(text: string, at: number) {
  let hash = 0;
  for (let index = at; index < at + BLOCK; index += 1) hash = (Math.imul(hash, MULTIPLIER) + text.charCodeAt(index)) | 0;
  return hash;
}

function weightOf(power: number) {
  let weight = 1;
  for (let times = 0; times < power; times += 1) weight = Math.imul(weight, MULTIPLIER);
  return weight;
}
