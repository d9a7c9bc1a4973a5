import { Module } from '@nestjs/common';
import { RenderingModule } from '../rendering/rendering.module';
import { ContentChanges } from './content-changes';
import { NotificationBlocksHandlers } from './notification-blocks.handlers';
import { NotificationChecksHandlers } from './notification-checks.handlers';
import { NotificationContentHandlers } from './notification-content.handlers';
import { NotificationsHandlers } from './notifications.handlers';

/** Templates: versions, content, blocks, checks. */
@Module({
  imports: [RenderingModule],
  controllers: [NotificationsHandlers, NotificationContentHandlers, NotificationBlocksHandlers, NotificationChecksHandlers],
  providers: [ContentChanges],
})
export class TemplatesModule {}
