import { spawn } from 'node:child_process';

/** A Node program that can be restarted. Its runs never overlap, because they share a port and a data directory. */
export class Restartable {
  #child;
  #exited;
  #queue = Promise.resolve();

  constructor(file, parameters) {
    this.command = [file, ...parameters];
  }

  /** Starts it after all earlier actions. */
  start() {
    return this.#enqueue(() => {
      const child = spawn(process.execPath, this.command, { stdio: 'inherit' });
      this.#child = child;
      this.#exited = new Promise((resolve) => child.once('exit', resolve));
      child.once('exit', (code) => {
        if (this.#child === child && code) console.log('\nTidings has ended; the next save restarts it.');
      });
    });
  }

  /** Ends it in order, then starts it. */
  async restart() {
    console.log('\nSources have changed: restarting …');
    await this.stop();
    await this.start();
  }

  /** Resolves after its orderly end; does nothing when it is not running. */
  stop() {
    return this.#enqueue(async () => {
      const child = this.#child;
      this.#child = undefined;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await this.#exited;
    });
  }

  #enqueue(action) {
    return (this.#queue = this.#queue.then(action));
  }
}
