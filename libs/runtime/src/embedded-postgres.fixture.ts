import { EmbeddedPostgres } from './embedded-postgres';

/** Starts a server in the given folder, prints its address and runs until it is killed; SIGTERM stops the server first. */
async function main(): Promise<void> {
  const server = await EmbeddedPostgres.start({ directory: process.argv[2]!, durable: true });
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
  console.log(`pid=${server.pid} url=${server.adminUrl} uid=${process.getuid?.()}`);
  setInterval(() => {}, 60_000);
}

main().catch((error: Error) => {
  console.log(`failed: ${error.message}`);
  process.exitCode = 1;
});
