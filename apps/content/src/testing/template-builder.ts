import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { notifications } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import type { Template, TemplatePayload } from '@tidings/contracts/content/template-fields';
import type { CallContext } from '@tidings/contracts/core/context';
import type { TestService } from '@tidings/testing/service';

/** Content of one text element. */
export function textContent(text: string): ElementalContent {
  return { version: '2022-01-01', elements: [{ type: 'text', content: text }] };
}

/** A template's payload; fields without override are empty. */
export function payloadOf(overrides: Partial<TemplatePayload> = {}): TemplatePayload {
  return { name: 'Welcome', tags: [], brand: null, subscription: null, routing: null, content: textContent('Hello'), ...overrides };
}

/** Creates a template from `payloadOf(overrides)`; a draft unless `state` is given. */
export async function buildTemplate(
  call: TestService['call'],
  context: CallContext,
  { state = 'DRAFT', ...overrides }: Partial<TemplatePayload> & { state?: 'DRAFT' | 'PUBLISHED' } = {},
): Promise<Template> {
  return call(notifications.create, context, { notification: payloadOf(overrides), state });
}

/** Creates a routing strategy for e-mail, then SMS; resolves with its id. */
export async function buildStrategy(call: TestService['call'], context: CallContext, name = 'Strategy'): Promise<string> {
  const { id } = await call(routingStrategies.create, context, { name, routing: { method: 'single', channels: ['email', 'sms'] } });
  return id;
}
