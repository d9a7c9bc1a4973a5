import { addressesOf, type Recipient } from '@tidings/providers/recipient';

const EMAIL_ADDRESS = /[^\s<>()[\]"',;:=]+@[^\s<>()[\]"',;:=]+/g;
/** A shorter address also occurs inside unrelated words. */
const ADDRESS_LENGTH_MIN = 5;

/** A provider's message as logs may hold it: without e-mail addresses, and without the addresses of this recipient. */
export function withoutAddresses(text: string, recipient: Recipient): string {
  const number = recipient.channel === 'sms' || recipient.channel === 'direct_message' ? recipient.phone_number : undefined;
  const spellings = number === undefined ? addressesOf(recipient) : [number, number.replace(/\D/g, '')];
  const addresses = spellings.filter((address) => address.length >= ADDRESS_LENGTH_MIN);
  return addresses.reduce((masked, address) => masked.replaceAll(address, '***'), text).replace(EMAIL_ADDRESS, '***');
}
