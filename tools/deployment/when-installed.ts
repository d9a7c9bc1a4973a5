import type { CheckingTool } from './checking-tools';

/** `it`, or where a tool is missing a test that is left out under a name that says so; tools/deployment/check.mjs lists it. */
export function itWith(...tools: CheckingTool[]): (name: string, test: () => void, timeoutMs?: number) => void {
  const missing = tools.flatMap((tool) => tool.missing() ?? []);
  return (name, test, timeoutMs) => {
    if (missing.length === 0) it(name, test, timeoutMs);
    else it.skip(`${name} [${missing.join('; ')}]`, test);
  };
}
