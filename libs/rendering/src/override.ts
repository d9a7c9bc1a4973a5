import { deepMerge, isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { EmailOutput, PushOutput } from '@tidings/contracts/messaging/channel-outputs';
import { oneLine } from './one-line';

/** An e-mail with `channels.email.override`: `subject`, `html` and `text` replace the rendered ones. */
export function overriddenEmail(email: EmailOutput, override: unknown): EmailOutput {
  if (!isJsonObject(override)) return email;
  const { subject, html, text } = override;
  return {
    subject: typeof subject === 'string' ? oneLine(subject) : email.subject,
    html: typeof html === 'string' ? html : email.html,
    text: typeof text === 'string' ? text : email.text,
  };
}

/** A push message with `channels.push.override`: `title`, `body`, `clickAction`, and `data` merged in; `icon` goes into the data. */
export function overriddenPush(push: PushOutput, override: unknown): PushOutput {
  if (!isJsonObject(override)) return push;
  const { title, body, clickAction = override.click_action, icon, data } = override;
  return {
    title: typeof title === 'string' ? oneLine(title) : push.title,
    body: typeof body === 'string' ? body : push.body,
    data: {
      ...(isJsonObject(data) ? deepMerge(push.data, data, { nullRemoves: true }) : push.data),
      ...(typeof clickAction === 'string' && { clickAction }),
      ...(typeof icon === 'string' && { icon }),
    },
  };
}
