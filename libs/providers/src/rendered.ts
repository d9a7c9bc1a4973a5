import type { Output } from '@tidings/contracts/messaging/channel-outputs';
import type { RenderedEmail } from './email';

/** The complete output of a channel's renderer. */
export type Rendered = Output<RenderedEmail>;

/** The channels with a renderer. */
export type RenderedChannel = Rendered['kind'];
