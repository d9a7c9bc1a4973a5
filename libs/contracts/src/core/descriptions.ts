import type { Dto } from './operation';

/** What the docstring of a property or of an operation contains. */
export interface Described {
  readonly description?: string;
  /** A value of the property, or a body of the operation. */
  readonly example?: unknown;
}

type ByName = Readonly<Record<string, Described>>;

/**
 * The docstrings of the contracts, which `node tools/write-descriptions.mjs` writes into a file. It is loaded by the first
 * instance: processes without documents load nothing.
 */
export class Descriptions {
  private readonly found = require('../../descriptions.json') as {
    readonly classes: Readonly<Record<string, ByName>>;
    readonly operations: ByName;
  };

  /** Of a property, by its class or by the nearest base that describes it; empty if none does. */
  ofProperty(dto: Dto, name: string): Described {
    for (let type = dto; type.name; type = Object.getPrototypeOf(type) as Dto) {
      const properties = this.found.classes[type.name];
      if (properties && Object.hasOwn(properties, name)) return properties[name]!;
    }
    return {};
  }

  /** Of an operation by its pattern; empty if it has no docstring. */
  ofOperation(pattern: string): Described {
    return this.found.operations[pattern] ?? {};
  }
}
