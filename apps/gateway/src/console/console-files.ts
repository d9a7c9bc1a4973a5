import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Beside the bundle, or of the console's project where this file is not bundled. */
const DIRECTORIES = [path.join(__dirname, 'console'), path.join(__dirname, '../../../console/dist/site')];
const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
/** Content encodings that the build makes, the better first, and the endings of their files. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file of the built console. */
export interface ConsoleFile {
  readonly type: string;
  /** The file, and its compressed forms by content encoding. */
  readonly file: string;
  readonly compressed: ReadonlyMap<string, string>;
}

/** The built console. */
export interface BuiltConsole {
  /** The page, the same at every address. */
  readonly page: string;
  /** Its other files by their path below `/console/`, such as `assets/app-1a2b3c.js`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

/** Lists the files of the console, once; undefined where it is not built. @param directory default: that of the product. */
export function readConsole(directory = DIRECTORIES.find((one) => existsSync(path.join(one, PAGE)))): BuiltConsole | undefined {
  if (directory === undefined || !existsSync(path.join(directory, PAGE))) return undefined;
  const names = new Set(readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => name.split(path.sep).join('/')));
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined || name === PAGE) continue;
    const compressed = ENCODINGS.filter(([, ending]) => names.has(name + ending)).map(
      ([encoding, ending]) => [encoding, path.join(directory, name + ending)] as const,
    );
    files.set(name, { type, file: path.join(directory, name), compressed: new Map(compressed) });
  }
  return { page: readFileSync(path.join(directory, PAGE), 'utf8'), files };
}
