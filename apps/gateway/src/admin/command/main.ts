import 'reflect-metadata';
import { runCommand } from './run-command';

/** `tidings workspaces|keys|signing-keys|erase …`: the operators' interface of a running gateway, from the command line. */
runCommand(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
}).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
