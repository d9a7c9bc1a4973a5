/** Stands for an app: once the file that HELD_BY names is there, it listens on its management port, and ends with 1 where it cannot. */
const { existsSync } = require('node:fs');
const { createServer } = require('node:http');

const LOOK_MS = 10;

process.on('disconnect', () => process.exit(0));
begin();

function begin() {
  if (!existsSync(process.env.HELD_BY)) return setTimeout(begin, LOOK_MS);
  const server = createServer((_request, answer) => answer.end());
  server.once('error', () => process.exit(1));
  server.listen(Number(process.env.MANAGEMENT_PORT), process.env.MANAGEMENT_HOST);
}
