import type { CheckingTool } from './checking-tools';

/** `it`, or a skipped test that names the missing tools; tools/deployment/check.mjs lists skipped tests. */
export function itWith(...tools: CheckingTool[]): (name: string, test: () => void, timeoutMs?: number) => void {
  const missing = tools.flatMap((tool) => tool.missing() ?? []);
  return (name, test, timeoutMs) => {
    if (missing.length === 0) it(name, test, timeoutMs);
    else it.skip(`${name} [${missing.join('; ')}]`, test);
  };
}
