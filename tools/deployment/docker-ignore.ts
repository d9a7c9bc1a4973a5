import { readdirSync } from 'node:fs';
import path from 'node:path';

interface Rule {
  /** Matches a path from the context's folder, with `/` between its parts. */
  matches: RegExp;
  /** Whether the rule admits matching paths; otherwise it excludes them. */
  admits: boolean;
  /** The part of the pattern before its first wildcard. */
  fixedPart: string;
}

/**
 * The rules of a `.dockerignore`, as Docker reads them: the last rule that matches a path or one of the folders above it decides.
 * @throws Error for character classes and escapes, which Docker reads differently
 */
export class DockerIgnore {
  private readonly rules: Rule[];

  constructor(text: string) {
    this.rules = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(toRule);
  }

  ignores(file: string): boolean {
    const parts = file.split('/');
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return this.rules.reduce((ignored, rule) => (paths.some((one) => rule.matches.test(one)) ? !rule.admits : ignored), false);
  }

  /** Every file of `folder` that reaches a build, relative to it, with `/` between the parts. */
  context(folder: string, below = ''): string[] {
    return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
      const file = below ? `${below}/${entry.name}` : entry.name;
      if (!entry.isDirectory()) return this.ignores(file) ? [] : [file];
      return this.ignores(file) && !this.admitsBelow(file) ? [] : this.context(folder, file);
    });
  }

  private admitsBelow(folder: string): boolean {
    return this.rules.some(({ admits, fixedPart }) => admits && fixedPart.startsWith(`${folder}/`));
  }
}

function toRule(line: string): Rule {
  const admits = line.startsWith('!');
  const pattern = line.replace(/^!/, '').replace(/^\/|\/$/g, '');
  if (/[[\]\\]/.test(pattern))
    throw new Error(`.dockerignore: "${line}" has a character class or an escape, which this check does not support`);
  if (admits && pattern.includes('*')) throw new Error(`.dockerignore: "${line}": admitted paths must be without wildcards`);
  return { matches: toExpression(pattern), admits, fixedPart: pattern.split('*')[0]! };
}

function toExpression(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|]/g, (token) => {
    switch (token) {
      case '**/':
        return '(?:.*/)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      default:
        return `\\${token}`;
    }
  });
  return new RegExp(`^${source}$`);
}
