interface Container {
  readonly first: string;
  readonly next: string;
  started: boolean;
}

/** Lists and quotes within one another that have marks of their own; deeper ones stand where the last of them does. */
const CONTAINERS_MAX = 24;

/** Puts blocks of text below one another, each line behind the marks of the lists and quotes it is in. */
export class BlockWriter {
  private readonly containers: Container[] = [];
  /** Containers deeper than that. */
  private deeper = 0;
  private written = '';

  /** `first` stands before the first line of what is inside, `next` before all others. */
  enter(first: string, next: string): void {
    if (this.containers.length < CONTAINERS_MAX) this.containers.push({ first, next, started: false });
    else this.deeper += 1;
  }

  leave(): void {
    if (this.deeper > 0) this.deeper -= 1;
    else this.containers.pop();
  }

  /** `tight`: no empty line before it, unless it begins its list or table. */
  add(block: string, tight = false): void {
    if (block === '') return;
    if (this.written) this.written += tight && this.containers[0]?.started !== false ? '\n' : '\n\n';
    const first = this.containers.map((container) => (container.started ? container.next : container.first)).join('');
    const next = this.containers.map((container) => container.next).join('');
    for (const container of this.containers) container.started = true;
    this.written += first + block.replaceAll('\n', `\n${next}`);
  }

  /** Without a line end behind the last line. */
  text(): string {
    return this.written;
  }
}
