interface Container {
  readonly first: string;
  readonly next: string;
  started: boolean;
}

/** Nesting depth of lists and quotes with marks; deeper ones are indented as the last of them. */
const CONTAINERS_MAX = 24;

/** Writes blocks of text, each line prefixed with the marks of its lists and quotes. */
export class BlockWriter {
  private readonly containers: Container[] = [];
  /** Open containers beyond `CONTAINERS_MAX`. */
  private deeper = 0;
  private written = '';

  /** `first` prefixes the first line inside, `next` all others. */
  enter(first = '', next = first): void {
    if (this.containers.length < CONTAINERS_MAX) this.containers.push({ first, next, started: false });
    else this.deeper += 1;
  }

  /** An item of a list, after its mark. */
  enterItem(mark: string): void {
    this.enter(mark, ' '.repeat(mark.length));
  }

  leave(): void {
    if (this.deeper > 0) this.deeper -= 1;
    else this.containers.pop();
  }

  /** `tight`: no empty line before the block, unless it starts its list or table. */
  add(block: string, tight = false): void {
    if (block === '') return;
    if (this.written) this.written += tight && this.containers[0]?.started !== false ? '\n' : '\n\n';
    let first = '';
    let next = '';
    for (const container of this.containers) {
      first += container.started ? container.next : container.first;
      next += container.next;
      container.started = true;
    }
    this.written += first + block.replaceAll('\n', `\n${next}`);
  }

  /** The text without a final line end. */
  text(): string {
    return this.written;
  }
}
