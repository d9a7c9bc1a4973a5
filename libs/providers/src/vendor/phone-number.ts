/** A phone number without separators, as E.164 where it begins with a plus. The recipient's has 5 to 15 digits. */
export function withoutSeparators(phoneNumber: string): string {
  return phoneNumber.replace(/[ ().\-/]+/g, '');
}

/** A phone number without plus and separators. */
export function digitsOf(phoneNumber: string): string {
  return withoutSeparators(phoneNumber).replace(/^\+/, '');
}
