import type { Recipient } from '@tidings/providers/recipient';

const EMAIL_ADDRESS = /[^\s<>()[\]"',;:=]+@[^\s<>()[\]"',;:=]+/g;
/** A shorter address also occurs inside unrelated words. */
const ADDRESS_LENGTH_MIN = 5;

/** A provider's message as logs may hold it: without e-mail addresses, and without the addresses of this recipient. */
export function withoutAddresses(text: string, recipient: Recipient): string {
  const addresses = addressesOf(recipient).filter((address) => address.length >= ADDRESS_LENGTH_MIN);
  return addresses.reduce((masked, address) => masked.replaceAll(address, '***'), text).replace(EMAIL_ADDRESS, '***');
}

function addressesOf(recipient: Recipient) {
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
