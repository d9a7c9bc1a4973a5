/**
 * `node probe.mjs live|ready`: requests the health of the process in the same container; exits with 0 when it is healthy. For container
 * engines that can only run a command (Docker, Compose); Kubernetes sends HTTP requests itself.
 */
const ANSWER_MS_MAX = 4_000;

const [, , check = 'live'] = process.argv;
const { MANAGEMENT_PORT, PORT } = process.env;
const url = `http://127.0.0.1:${MANAGEMENT_PORT || PORT || 8080}/health/${check}`;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  // Engines show the output of the last probes.
  console.log(`${url} answered ${response.status}: ${await response.text()}`);
  if (!response.ok) process.exitCode = 1;
} catch (error) {
  console.error(`${url} cannot be reached: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
