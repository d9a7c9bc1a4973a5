import { type ChildProcess, spawn } from 'node:child_process';

/** A broker's folder is in its command line behind this: a pid that was given to another process is not mistaken for it. */
export const BROKER_MARK = '-Dtidings.kafka.broker=';

export interface Guard {
  /** The process is about to do by itself what the guard is for. */
  dismiss(): void;
  /** Has the guard do its work now; resolves when it has. */
  strike(): Promise<void>;
}

/** Ends what runs in the folder `$1`: brokers by their pid files, containers by their names; `$2` says to remove the data. */
const SCRIPT = `
  read -r word
  [ "$word" = dismiss ] && exit 0
  ours() { { tr '\\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null | grep -qF -- "${BROKER_MARK}$2"; }
  all() {
    for file in "$directory"/broker-*/pid; do
      [ -f "$file" ] || continue
      pid=$(cat "$file")
      ours "$pid" "\${file%/pid}" && kill "-$1" "$pid" 2>/dev/null && alive=yes
    done
  }
  gone() { # $1 tenths of a second
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
  [ "$2" = remove ] || { all CONT; all TERM; gone 200; }
  all KILL
  gone 50
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
 * Starts a shell that reads from this process and so notices its end, however it comes: it then ends the brokers of the folder
 * and, if asked to, removes what they have there, and the folder if nothing else is in it.
 */
export function startGuard(directory: string, { remove }: { remove: boolean }): Guard {
  const shell: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT, 'sh', directory, remove ? 'remove' : 'keep'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()).once('error', () => resolve()));
  shell.stdin?.on('error', () => undefined); // it ended before it was told to
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
