import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';

const logger = new Logger('PostgreSQL');

/**
 * An embedded PostgreSQL with its data in `directory`: when the server ends unexpectedly, it is restarted on the same port, so that connection pools reconnect.
 */
export class SupervisedPostgres {
  private server!: EmbeddedPostgres;
  private restarting: Promise<void> | undefined;
  private stopped = false;

  private constructor(private readonly directory: string) {}

  static async start(directory: string) {
    const supervised = new SupervisedPostgres(directory);
    supervised.server = await supervised.startServer();
    return supervised;
  }

  /** Connects as superuser. Contains the password: never log it. */
  get adminUrl() {
    return this.server.adminUrl;
  }

  async stop() {
    this.stopped = true;
    await this.restarting;
    await this.server.stop();
  }

  private startServer(port?: number) {
    return EmbeddedPostgres.start({ directory: this.directory, durable: true, port, onUnexpectedExit: (reason) => this.restart(reason) });
  }

  private restart(reason: string) {
    if (this.stopped) return;
    logger.error(`PostgreSQL ended unexpectedly and is restarted. ${reason}`);
    this.restarting = this.startOnPort(this.server.port).finally(() => (this.restarting = undefined));
  }

  private async startOnPort(port: number) {
    for (let waitMs = 500; !this.stopped; waitMs = Math.min(waitMs * 2, 30_000)) {
      await delay(waitMs);
      if (this.stopped) return;
      try {
        const server = await this.startServer(port);
        if (server.port === port) {
          this.server = server;
          return;
        }
        await server.stop();
        logger.error(`Port ${port} is in use by another process: PostgreSQL cannot be restarted yet; retrying`);
      } catch (error) {
        logger.error(`PostgreSQL cannot be started: ${String(error)}`);
      }
    }
  }
}
