/**
 * The source of a fake `docker` program: it records its commands, and a started container is a process that answers on the
 * published ports like a cluster of one broker.
 */
export const FAKE_DOCKER = String.raw`
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const directory = process.env.MACHINE;
const [command, ...rest] = process.argv.slice(2);
const stateOf = (name) => path.join(directory, 'container-' + name + '.json');
const read = (name) => JSON.parse(fs.readFileSync(stateOf(name), 'utf8'));
const write = (name, state) => fs.writeFileSync(stateOf(name), JSON.stringify(state));
const name = rest.at(-1);

const BROKER = ${'`'}
  const answer = Buffer.alloc(8 + 4 + 4 + 2 + 1 + 4 + 2 + 4 + 4);
  answer.writeInt32BE(answer.length - 4, 0);
  answer.writeInt32BE(1, 4);
  answer.writeInt32BE(1, 8);
  answer.writeInt32BE(1, 12);
  answer.writeInt16BE(1, 16);
  answer.write('h', 18);
  answer.writeInt16BE(-1, 23);
  for (const port of process.argv.slice(1))
    require('node:net').createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write(answer))).listen(Number(port), '127.0.0.1');
${'`'};

const end = (state) => {
  if (state.pid) try { process.kill(state.pid, 'SIGKILL'); } catch {}
  return { ...state, pid: undefined };
};

const COMMANDS = {
  create() {
    const created = rest[rest.indexOf('--name') + 1];
    const ports = rest.filter((_, at) => rest[at - 1] === '--publish').map((one) => one.split(':')[1]);
    write(created, { ports });
  },
  start() {
    const child = spawn(process.execPath, ['-e', BROKER, ...read(name).ports], { detached: true, stdio: 'ignore' });
    child.unref();
    write(name, { ...read(name), pid: child.pid });
  },
  pause() { process.kill(read(name).pid, 'SIGSTOP'); write(name, { ...read(name), paused: true }); },
  unpause() { process.kill(read(name).pid, 'SIGCONT'); write(name, { ...read(name), paused: false }); },
  kill() { write(name, end(read(name))); },
  stop() { write(name, end(read(name))); },
  rm() { end(read(name)); fs.rmSync(stateOf(name)); },
  inspect() { console.log(rest.includes('{{.State.Paused}}') ? read(name).paused === true : read(name).pid !== undefined); },
};

fs.appendFileSync(path.join(directory, 'commands'), [command, ...rest].join(' ') + '\n');
COMMANDS[command]?.();
`;
