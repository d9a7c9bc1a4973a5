import type { Recipient } from '@tidings/providers/recipient';

const EMAIL_ADDRESS = /[^\s<>()[\]"',;:=]+@[^\s<>()[\]"',;:=]+/g;
/** A shorter text is found in words that have nothing to do with it. */
const ADDRESS_LENGTH_MIN = 5;

/** What a provider said, as logs may hold it: without e-mail addresses, and without what this recipient is reached by. */
export function withoutAddresses(text: string, recipient: Recipient): string {
  const known = addressesOf(recipient).filter((address) => address.length >= ADDRESS_LENGTH_MIN);
  return known.reduce((left, address) => left.replaceAll(address, '***'), text).replace(EMAIL_ADDRESS, '***');
}

function addressesOf(recipient: Recipient): string[] {
  switch (recipient.channel) {
    case 'email':
      return [recipient.email];
    case 'sms':
      return [recipient.phone_number, recipient.phone_number.replace(/^\+/, '')];
    case 'push':
      return recipient.tokens.map(({ token }) => token);
    default:
      return [];
  }
}
