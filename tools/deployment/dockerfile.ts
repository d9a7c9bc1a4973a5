/** The supported instructions of a Dockerfile; others are refused, so that none is ignored. */
const KEYWORDS = [
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'ENV',
  'LABEL',
  'USER',
  'EXPOSE',
  'HEALTHCHECK',
  'STOPSIGNAL',
  'ENTRYPOINT',
  'CMD',
] as const;
type Keyword = (typeof KEYWORDS)[number];

export interface Instruction {
  keyword: Keyword;
  text: string;
  line: number;
}

export interface Stage {
  /** An earlier stage, or an image. */
  base: string;
  name: string;
  instructions: Instruction[];
}

export interface Copy {
  /** Stage of the sources; absent: the context. */
  from?: string;
  sources: string[];
  target: string;
}

/** Reads a Dockerfile of the supported instructions. @throws Error with the line for others */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of instructionsOf(text)) {
    if (instruction.keyword === 'FROM') {
      const [, base, name] = /^(\S+)\s+AS\s+(\S+)$/i.exec(instruction.text) ?? refuse(instruction, 'is not "FROM base AS name"');
      stages.push({ base: base!, name: name!, instructions: [] });
    } else {
      (stages.at(-1) ?? refuse(instruction, 'precedes FROM')).instructions.push(instruction);
    }
  }
  if (stages.length === 0) throw new Error('The Dockerfile has no FROM');
  return stages;
}

/** The parts of `COPY [--from=stage] source… target`. */
export function parseCopy(instruction: Instruction): Copy {
  const words = instruction.text.split(/\s+/);
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
  const target = words.pop();
  if (words.length === 0 || target === undefined) return refuse(instruction, 'names no source or no target');
  if (words.some((word) => word.startsWith('--') || /["*?[]/.test(word))) return refuse(instruction, 'has unsupported options or patterns');
  return { from, sources: words, target };
}

/** The variables of `ENV name=value …`. */
export function parseEnvironment(instruction: Instruction): Record<string, string> {
  const pairs = instruction.text
    .split(/\s+/)
    .map((word) => /^([A-Za-z_]\w*)=([^"'$\\]*)$/.exec(word) ?? refuse(instruction, `has ${word}`));
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]));
}

/** The words of an instruction in JSON form, which runs without a shell. */
export function parseWords(instruction: Instruction): string[] {
  try {
    return JSON.parse(instruction.text) as string[];
  } catch {
    return refuse(instruction, 'is not a JSON list of words: it would need a shell');
  }
}

/** The last instruction of this kind. */
export function lastOf(stage: Stage, keyword: Keyword): Instruction | undefined {
  return stage.instructions.findLast((instruction) => instruction.keyword === keyword);
}

function instructionsOf(text: string): Instruction[] {
  const found: Instruction[] = [];
  let open: { text: string; line: number } | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const continues = line.endsWith('\\');
    const part = continues ? line.slice(0, -1).trim() : line;
    open = open ? { ...open, text: `${open.text} ${part}` } : { text: part, line: index + 1 };
    if (continues) continue;
    found.push(toInstruction(open));
    open = undefined;
  }
  if (open) throw new Error(`Dockerfile:${open.line}: nothing follows the last "\\"`);
  return found;
}

function toInstruction({ text, line }: { text: string; line: number }): Instruction {
  const [, word, rest] = /^(\S+)\s+(.*)$/.exec(text) ?? [];
  const keyword = KEYWORDS.find((one) => one === word?.toUpperCase());
  if (!keyword) throw new Error(`Dockerfile:${line}: "${text}" is not supported by this check`);
  return { keyword, text: rest!, line };
}

function refuse({ keyword, text, line }: Instruction, reason: string): never {
  throw new Error(`Dockerfile:${line}: "${keyword} ${text}" ${reason}`);
}
