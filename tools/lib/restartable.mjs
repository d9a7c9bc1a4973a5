import { spawn } from 'node:child_process';

/** A Node program that is started again and again, one at a time: the next needs the same port and the same data. */
export class Restartable {
  #child;
  #gone;
  #turn = Promise.resolve();

  constructor(file, parameters) {
    this.command = [file, ...parameters];
  }

  /** Starts it, after what was asked before is done. */
  start() {
    return this.#inTurn(() => {
      const child = spawn(process.execPath, this.command, { stdio: 'inherit' });
      this.#child = child;
      this.#gone = new Promise((resolve) => child.once('exit', resolve));
      child.once('exit', (code) => {
        if (this.#child === child && code) console.log('\nTidings has ended; the next save starts it again.');
      });
    });
  }

  /** Ends it in order and starts it again. */
  async restart() {
    console.log('\nSources have changed: starting again …');
    await this.stop();
    await this.start();
  }

  /** Resolves after its orderly end; nothing happens when it does not run. */
  stop() {
    return this.#inTurn(async () => {
      const child = this.#child;
      this.#child = undefined;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await this.#gone;
    });
  }

  #inTurn(action) {
    return (this.#turn = this.#turn.then(action));
  }
}
