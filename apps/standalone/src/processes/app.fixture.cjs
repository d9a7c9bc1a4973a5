/** A fake app: once the file START_FILE exists, it listens on its management port, and exits with 1 where it cannot. */
const { existsSync } = require('node:fs');
const { createServer } = require('node:http');

const POLL_MS = 10;

process.on('disconnect', () => process.exit(0));
listen();

function listen() {
  if (!existsSync(process.env.START_FILE)) return setTimeout(listen, POLL_MS);
  const server = createServer((_request, answer) => answer.end());
  server.once('error', () => process.exit(1));
  server.listen(Number(process.env.MANAGEMENT_PORT), process.env.MANAGEMENT_HOST);
}
