import { webhooks as words } from '../screen-texts/webhooks';
import { Field } from '../ui/field';

/** The fields of a webhook in a form. */
export function WebhookFields({ url, description }: { url?: string; description?: string | null }) {
  return (
    <>
      <Field label={words.fields.url} hint={words.urlHint}>
        {(hint) => <input type="url" name="url" required defaultValue={url} autoComplete="off" aria-describedby={hint} />}
      </Field>
      <Field label={words.fields.description}>
        {() => <input name="description" maxLength={512} defaultValue={description ?? undefined} autoComplete="off" />}
      </Field>
    </>
  );
}
