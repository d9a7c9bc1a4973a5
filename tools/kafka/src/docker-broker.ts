import type { Broker } from './broker';
import type { DockerProgram } from './docker-program';

const STOP_TIMEOUT_S = 15;
const LOG_LINES = 8;

/** A broker in an existing container. */
export class DockerBroker implements Broker {
  constructor(
    readonly id: number,
    private readonly docker: DockerProgram,
    private readonly container: string,
  ) {}

  isRunning(): boolean {
    return this.docker.answer('inspect', '--format', '{{.State.Running}}', this.container) === 'true';
  }

  async launch(): Promise<void> {
    if (!this.isRunning()) await this.docker.run('start', this.container);
  }

  async stop(): Promise<void> {
    if (!this.isRunning()) return;
    await this.thaw();
    await this.docker.run('stop', '--time', String(STOP_TIMEOUT_S), this.container);
  }

  async kill(): Promise<void> {
    if (!this.isRunning()) return;
    await this.docker.run('kill', this.container).catch(async () => {
      await this.thaw(); // Docker may refuse to kill a paused container
      await this.docker.run('kill', this.container);
    });
  }

  async freeze(): Promise<void> {
    if (!this.isPaused()) await this.docker.run('pause', this.container);
  }

  async thaw(): Promise<void> {
    if (this.isPaused()) await this.docker.run('unpause', this.container);
  }

  async remove(): Promise<void> {
    await this.docker.run('rm', '--force', '--volumes', this.container).catch(() => undefined); // it may not have been created
  }

  lastLogLines(): string {
    return this.docker.answer('logs', '--tail', String(LOG_LINES), this.container) ?? 'no log';
  }

  private isPaused(): boolean {
    return this.docker.answer('inspect', '--format', '{{.State.Paused}}', this.container) === 'true';
  }
}
