import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { OpenMessagesRunner } from './accept/open-messages.runner';
import { Router } from './accept/router';
import { Dispatcher } from './deliver/dispatcher';
import { Renderer } from './deliver/renderer';
import { ExpansionRunner } from './expand/expansion.runner';
import { BounceGuard } from './providers/bounce-guard';
import { ProviderEventsConsumer } from './provider-events/provider-events.consumer';
import { ProviderConfigurations } from './providers/provider-configurations';
import { HistoryPublisher } from './publish/history-publisher';
import { ensurePartitions } from './record/partitions';
import { MessageCounts } from './statistics/message-counts';
import { ProviderCounts } from './statistics/provider-counts';
import { WebhookRunner } from './webhooks/webhook-runner';

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
    private readonly reports: ProviderEventsConsumer,
    private readonly webhooks: WebhookRunner,
    private readonly configurations: ProviderConfigurations,
    private readonly guard: BounceGuard,
    private readonly counts: MessageCounts,
    private readonly providerCounts: ProviderCounts,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await ensurePartitions(this.database, this.clock.now()); // later ones are created by `Retention`
    this.history.start();
    this.webhooks.start();
    this.dispatcher.start();
    this.openMessages.start();
    this.expansions.start();
    await this.router.start();
    await this.reports.start();
    this.warmUp = setImmediate(() => this.renderer.warmUp());
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearImmediate(this.warmUp);
    await this.reports.stop();
    await this.router.stop();
    await this.renderer.close();
    await this.expansions.stop();
    await this.openMessages.stop();
    await this.dispatcher.stop();
    await this.guard.flush();
    await this.counts.flush();
    await this.providerCounts.flush();
    await this.history.stop();
    await this.webhooks.stop();
    await this.configurations.close();
  }
}
