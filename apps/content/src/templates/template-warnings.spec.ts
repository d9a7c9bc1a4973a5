import { randomUUID } from 'node:crypto';
import { notificationBlocks } from '@tidings/contracts/content/notification-blocks';
import { notificationContent } from '@tidings/contracts/content/notification-content';
import { notifications } from '@tidings/contracts/content/notifications';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, payloadOf } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const publish = (id: string) => call(notifications.publish, context, { id });
const versionsOf = async (id: string) => (await call(notifications.versions, context, { id })).versions.map(({ version }) => version);

describe('content with a probable mistake', () => {
  const action = { type: 'action', content: 'Go' };
  const contentOf = (...elements: object[]) => ({ version: '2022-01-01', elements: elements as never[] });
  const refused = (path: string) => ({ code: 'invalid_request', message: `${path} is an action without href` });

  it('is stored as a draft with a warning, and not published', async () => {
    const created = await buildTemplate(call, context, { content: contentOf(action) });
    expect(created).toMatchObject({
      state: 'DRAFT',
      warnings: ['notification.content.elements[0] is an action without href: this cannot be published'],
    });

    await expect(publish(created.id)).rejects.toMatchObject(refused('content.elements[0]'));
    await expect(versionsOf(created.id)).resolves.toEqual(['draft']);
    const notification = payloadOf({ content: contentOf(action) });
    await expect(call(notifications.create, context, { notification, state: 'PUBLISHED' })).rejects.toMatchObject(
      refused('notification.content.elements[0]'),
    );
  });

  it('is accepted with a warning where it has another effect, in every change and publication', async () => {
    const warnings = ['content.elements[0].align is none of left, center, right, full, and has no effect (got "middle")'];
    const content = contentOf({ type: 'text', id: 'a', content: 'x', align: 'middle' });
    const { id } = await buildTemplate(call, context, { content });

    await expect(publish(id)).resolves.toEqual({ warnings });
    await expect(publish(id)).resolves.toEqual({});
    await expect(call(notificationContent.replace, context, { id, content })).resolves.toMatchObject({ state: 'DRAFT', warnings });
    const element = { type: 'text', content: 'y', align: 'middle', state: 'PUBLISHED' };
    await expect(call(notificationContent.replaceElement, context, { id, elementId: 'a', element })).resolves.toMatchObject({
      state: 'PUBLISHED',
      warnings,
    });
  });

  it('is refused and accepted in the same way in a template of a tenant', async () => {
    const put = (published: boolean, ...elements: object[]) =>
      call(tenantTemplates.replace, context, {
        tenant_id: 'acme',
        template_id: 't',
        template: { content: contentOf(...elements) },
        published,
      });
    const text = { type: 'text', content: 'x' };
    const warnings = ['template.content.elements[0] is an action without href: this cannot be published'];

    await expect(put(true, action)).rejects.toMatchObject(refused('template.content.elements[0]'));
    await expect(put(false, action)).resolves.toMatchObject({ version: 'v1', warnings });
    await expect(call(tenantTemplates.publish, context, { tenant_id: 'acme', template_id: 't' })).rejects.toMatchObject(
      refused('content.elements[0]'),
    );
    await expect(put(true, text, { type: 'divider', color: 'bluish' })).resolves.toMatchObject({
      version: 'v2',
      warnings: ['template.content.elements[1].color is no color, and has no effect (got "bluish")'],
    });
  });

  it.each<[string, object[], string]>([
    ['no element', [], 'must have one element at least (got an empty array)'],
    ['an empty text', [{ type: 'text', content: '' }], 'show nothing on any channel, as their texts are blank'],
  ])('that shows nothing (%s) is stored as a draft with a warning, and not published', async (_, elements, problem) => {
    const created = await buildTemplate(call, context, { content: contentOf(...elements) });
    expect(created).toMatchObject({ warnings: [`notification.content.elements ${problem}: this cannot be published`] });

    await expect(publish(created.id)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `content.elements ${problem}`,
    });
    await expect(versionsOf(created.id)).resolves.toEqual(['draft']);
  });

  it('is not looked for in blocks', async () => {
    const { id } = await buildTemplate(call, context);
    const blocks = [{ id: 'b', type: 'action' as const, content: 'Go' }];

    await expect(call(notificationBlocks.replace, context, { id, blocks, channels: [] })).resolves.toMatchObject({ state: 'PUBLISHED' });
  });
});
