/**
 * `node probe.mjs live|ready`: asks the process in the same container how it is; ends with 0 when it is well. For container engines
 * that can only run a command (Docker, Compose); Kubernetes asks over HTTP itself.
 */
const ANSWER_MS_MAX = 4_000;

const [, , question = 'live'] = process.argv;
const { MANAGEMENT_PORT, PORT } = process.env;
const url = `http://127.0.0.1:${MANAGEMENT_PORT || PORT || 8080}/health/${question}`;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  // Engines show what the last probes said.
  console.log(`${url} answered ${response.status}: ${await response.text()}`);
  if (!response.ok) process.exitCode = 1;
} catch (error) {
  console.error(`${url} cannot be asked: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
