import { type ChildProcess, spawn } from 'node:child_process';

/** Option before the folder in a broker's command line, by which a reused pid is detected. */
export const BROKER_MARK = '-Dtidings.kafka.broker=';

export interface Guard {
  /** Ends the guard without its work: the process stops the brokers itself. */
  dismiss(): void;
  /** Runs the guard's work now; resolves when it is done. */
  strike(): Promise<void>;
}

/** Stops the brokers of the folder `$1` by pid files and container names; with `$2` = `remove` it also removes the data. */
const SCRIPT = `
  read -r word
  [ "$word" = dismiss ] && exit 0
  is_broker() { { tr '\\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null | grep -qF -- "${BROKER_MARK}$2"; }
  all() {
    for file in "$directory"/broker-*/pid; do
      [ -f "$file" ] || continue
      pid=$(cat "$file")
      is_broker "$pid" "\${file%/pid}" && kill "-$1" "$pid" 2>/dev/null && alive=yes
    done
  }
  wait_ended() { # $1 tenths of a second
    while [ "$1" -gt 0 ]; do
      alive=
      all 0
      [ -z "$alive" ] && return 0
      sleep 0.1
      set -- $(($1 - 1))
    done
    return 1
  }
  directory=$1
  [ "$2" = remove ] || { all CONT; all TERM; wait_ended 200; }
  all KILL
  wait_ended 50
  if [ "$2" = remove ]; then end='rm --force --volumes'; else end=kill; fi
  for file in "$directory"/broker-*/container; do
    [ -f "$file" ] && docker $end "$(cat "$file")"
  done >/dev/null 2>&1
  [ "$2" = remove ] || exit 0
  for file in "$directory"/broker-*/network; do
    [ -f "$file" ] && docker network rm "$(cat "$file")"
  done >/dev/null 2>&1
  rm -rf -- "$directory"/broker-* "$directory"/cluster.json* "$directory"/lock
  rmdir -- "$directory"
`;

/**
 * Starts a shell that reads a pipe from this process, so it detects the end of the process, including SIGKILL. It then stops the
 * brokers of the folder. With `remove` it removes their data, and the folder if it is empty.
 */
export function startGuard(directory: string, { remove }: { remove: boolean }): Guard {
  const shell: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT, 'sh', directory, remove ? 'remove' : 'keep'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()).once('error', () => resolve()));
  shell.stdin?.on('error', () => undefined); // the guard may have ended already
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref(); // a socket, though typed as a stream
  return {
    dismiss: () => shell.stdin?.end('dismiss\n'),
    strike: () => {
      shell.ref();
      shell.stdin?.end();
      return ended;
    },
  };
}
