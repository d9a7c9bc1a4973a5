import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { OpenMessagesRunner } from './accept/open-messages.runner';
import { Router } from './accept/router';
import { Dispatcher } from './deliver/dispatcher';
import { Renderer } from './deliver/renderer';
import { ExpansionRunner } from './expand/expansion.runner';
import { ProviderConfigurations } from './providers/provider-configurations';
import { HistoryPublisher } from './publish/history-publisher';
import { ensurePartitions } from './record/partitions';

/** Starts and stops the pipeline in order: producers stop before their consumers. */
@Injectable()
export class Pipeline implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private warmUp: NodeJS.Immediate | undefined;

  constructor(
    private readonly database: Database,
    private readonly router: Router,
    private readonly openMessages: OpenMessagesRunner,
    private readonly expansions: ExpansionRunner,
    private readonly renderer: Renderer,
    private readonly dispatcher: Dispatcher,
    private readonly history: HistoryPublisher,
    private readonly configurations: ProviderConfigurations,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await ensurePartitions(this.database, this.clock.now()); // later ones are created by `Retention`
    this.history.start();
    this.dispatcher.start();
    this.openMessages.start();
    this.expansions.start();
    await this.router.start();
    this.warmUp = setImmediate(() => this.renderer.warmUp());
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearImmediate(this.warmUp);
    await this.router.stop();
    await this.renderer.close();
    await this.expansions.stop();
    await this.openMessages.stop();
    await this.dispatcher.stop();
    await this.history.stop();
    await this.configurations.close();
  }
}
