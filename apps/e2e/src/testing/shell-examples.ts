import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../../../..');

/** The examples of a page in a language (`sh`, `json`), in their order. @param page its path in the repository. */
export function examplesOf(page: string, language: string): string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, example]) => example!);
}

/** Beside the answer on a line of its own, each `curl` has its status on standard error. */
const CURL = `curl() { command curl -w '\\n%{stderr}%{http_code}\\n' "$@"; }`;

/**
 * Runs a shell example against a product, with its address and key where the page has those of `npm start`. Resolves with the lines that
 * it prints, and the status of each answer; rejects when a command fails.
 */
export async function runExample(script: string, { url, key = '' }: { url: string; key?: string }) {
  const own = script.replace('http://127.0.0.1:8080', url).replace('$(cat .tidings/api-key)', key);
  const environment = { ...process.env, URL: url, KEY: key };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', `${CURL}\n${own}`], { env: environment });
  const linesOf = (text: string) => text.split('\n').filter(Boolean);
  return { printed: linesOf(stdout), statuses: linesOf(stderr).map(Number) };
}
