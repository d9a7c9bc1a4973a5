import { notifications } from '@tidings/contracts/content/notifications';
import type { TemplateEmail } from '@tidings/contracts/content/template-fields';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, payloadOf } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => (content = await sharedContent()));

it.each<[keyof TemplateEmail, TemplateEmail, string]>([
  ['from', { from: 'nonsense' }, 'notification.email.from must be one e-mail address'],
  ['from', { from: '{data.f}' }, 'notification.email.from must be the address itself: variables are not filled in there (got "{data.f}")'],
  ['from', { from: '{data.f}@example.com' }, 'notification.email.from must be the address itself'],
  ['from', { from: 'a@example.com\r\nBcc: b@example.com' }, 'notification.email.from must be one e-mail address'],
  ['reply_to', { reply_to: 'a@example.com, b@example.com' }, 'notification.email.reply_to must be one e-mail address'],
  ['cc', { cc: ['a@example.com', 'unknown'] }, 'notification.email.cc[1] must be one e-mail address'],
  ['bcc', { bcc: [''] }, 'notification.email.bcc[0] must be one e-mail address'],
])('refuses a template whose %s is no address: %j', async (_, email, message) => {
  const context = newWorkspace();
  const refused = { code: 'invalid_request', message: expect.stringContaining(message) as string };
  const { id } = await buildTemplate(call, context);
  const notification = payloadOf({ email });

  for (const state of ['DRAFT', 'PUBLISHED'] as const) {
    await expect(call(notifications.create, context, { notification, state })).rejects.toMatchObject(refused);
    await expect(call(notifications.replace, context, { id, notification, state })).rejects.toMatchObject(refused);
  }
});

it('does not publish a stored draft with an invalid address', async () => {
  const context = newWorkspace();
  const { id } = await buildTemplate(call, context, { email: { from: 'a@example.com' } });
  const stored = ['{"from":"nonsense"}', context.workspaceId, id];
  await content.sql('update notification_versions set email = $1 where workspace_id = $2 and template_id = $3', stored);

  await expect(call(notifications.publish, context, { id })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^email\.from must be one e-mail address/) as string,
  });
});

it('returns addresses as they were written', async () => {
  const context = newWorkspace();
  const email = { from: '"Shop, Inc." <shop@example.com>', reply_to: '', cc: ['Käse <a@käse.example>'], bcc: null };

  const { id } = await buildTemplate(call, context, { email, state: 'PUBLISHED' });

  expect((await call(notifications.retrieve, context, { id })).email).toEqual(email);
});
