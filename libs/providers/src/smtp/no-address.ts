/** Codes by which a mail server refuses an address, where its enhanced status says nothing. */
const ADDRESS_CODES = new Set([550, 551, 553]);
/** Of the sender's address. */
const SENDER_STATUSES = new Set(['5.1.7', '5.1.8']);

/**
 * Whether a mail server says that the address of the recipient does not exist (RFC 3463). Policies, blocked servers and senders without
 * authentication are refused with the same codes.
 * @param status the enhanced status, `5.1.1`; empty or absent: none.
 */
export function isNoAddress(code: number, status?: string): boolean {
  if (!status || status === '5.0.0') return ADDRESS_CODES.has(code);
  return status === '5.2.1' || (status.startsWith('5.1.') && !SENDER_STATUSES.has(status));
}
