import { Module } from '@nestjs/common';
import { WebhookCaller } from './webhook-caller';
import { WebhookDeliveriesHandlers } from './webhook-deliveries.handlers';
import { WebhookRunner } from './webhook-runner';
import { WebhooksHandlers } from './webhooks.handlers';

/** Outbound webhooks: the events of a workspace, posted to its own services. */
@Module({
  controllers: [WebhooksHandlers, WebhookDeliveriesHandlers],
  providers: [WebhookCaller, WebhookRunner],
  exports: [WebhookRunner],
})
export class WebhooksModule {}
