import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { LOCALE_LENGTH_MAX } from '@tidings/contracts/content/locale';
import { recipientPages } from '@tidings/contracts/content/recipient-pages';
import type { CallContext } from '@tidings/contracts/core/context';
import { type PreferencePage, recipientChoices } from '@tidings/contracts/identity/recipient-choices';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { type LinkRecipient, RECIPIENT_PATHS } from '@tidings/runtime/recipient-links';
import type { PageStyle } from './page-html';
import { OWN_TEXTS, pageLanguage, preferredLocale } from './page-texts';

const logger = new Logger('RecipientPages');

const NONCE_BYTES = 16;

/** A recipient who requests a page. */
export interface PageRequest {
  readonly client: OperationClient;
  /** Of the link's workspace. */
  readonly context: CallContext;
  readonly recipient: LinkRecipient;
  readonly token: string;
  readonly acceptLanguage: string | undefined;
}

/** The data of identity that a page shows. @param sections whether with every section. */
export function loadPage({ client, context, recipient }: PageRequest, userId: string, sections: boolean): Promise<PreferencePage> {
  const { tenantId, topicId } = recipient;
  return client.call(recipientChoices.page, context, { user_id: userId, tenant_id: tenantId, topic_id: topicId, sections });
}

/** The style of a page without a recipient. */
export function plainStyle(acceptLanguage: string | undefined): PageStyle {
  return { ...pageLanguage(preferredLocale(acceptLanguage), [], []), brand: null, nonce: newNonce() };
}

/** The style of a recipient's page, without a brand and translations of the workspace where content cannot be reached. */
export async function loadStyle(request: PageRequest, page: PreferencePage | undefined): Promise<PageStyle> {
  const { client, context, recipient, token, acceptLanguage } = request;
  const locale = page?.locale || preferredLocale(acceptLanguage);
  const texts = [...new Set([...OWN_TEXTS, ...(page ? textsOf(page) : [])])];
  try {
    const { brand, translations } = await client.call(recipientPages.appearance, context, {
      ...brandOf(page, recipient),
      locale: locale?.slice(0, LOCALE_LENGTH_MAX),
      texts,
      unsubscribe_url: relative('unsubscribe', token),
      preferences_url: relative('preferences', token),
    });
    return { ...pageLanguage(locale, texts, translations), brand, nonce: newNonce() };
  } catch (error) {
    logger.warn({ err: error, requestId: context.callId }, 'A page of a recipient is shown without its brand');
    return { ...pageLanguage(locale, [], []), brand: null, nonce: newNonce() };
  }
}

/** The address of the other page, from either of them: the gateway may be below a path of its public address. */
export function relative(page: keyof typeof RECIPIENT_PATHS, token: string): string {
  return `../${RECIPIENT_PATHS[page]}/${token}`;
}

const newNonce = () => randomBytes(NONCE_BYTES).toString('base64url');

/** The brand of the published page, else that of the message. */
function brandOf(page: PreferencePage | undefined, { brandId }: LinkRecipient) {
  const chosen = page?.brand_id ?? (brandId === null ? 'none' : brandId);
  if (chosen === 'none') return { without_brand: true };
  return chosen === 'default' ? {} : { brand_id: chosen };
}

function textsOf({ heading, description, topic, sections }: PreferencePage) {
  const ofSections = sections.flatMap((section) => [
    section.name,
    section.description,
    ...section.topics.flatMap((one) => [one.topic_name, one.description]),
  ]);
  return [heading, description, topic?.topic_name, ...ofSections].filter((text) => text !== undefined);
}
