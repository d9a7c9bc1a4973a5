import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';
import type { DkimSettings } from '@tidings/contracts/messaging/dkim';

/** Signed where present: every header that we write. A one-click unsubscription is valid only where its headers are signed (RFC 8058). */
const SIGNED_HEADERS = [
  'From',
  'To',
  'Cc',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':');

/** Resolves with the mail and its signature. Strings have one character per byte; the mail's dots are not doubled yet. */
export type SignMail = (mail: string) => Promise<string>;

/** The same mail gets the same signature. */
export function dkimSigner({ domain, selector, privateKey }: DkimSettings): SignMail {
  // The type lacks key objects; with a text the key would be parsed for each mail.
  const key = privateKey as unknown as string;
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey: key, headerFieldNames: SIGNED_HEADERS });
  return async (mail) => {
    const signed = (await buffer(signer.sign(Buffer.from(mail, 'latin1')))).toString('latin1');
    // Where signing fails, nodemailer returns the mail unsigned.
    if (!signed.startsWith('DKIM-Signature:')) throw new Error(`A mail could not be signed with DKIM for ${domain}`);
    return signed;
  };
}
