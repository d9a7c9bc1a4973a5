import { hash } from 'node:crypto';

/** The UUID of a text, the same for every repeat of a call; it has the form of version 4, the most widely accepted one. */
export function uuidOf(text: string): string {
  const hex = hash('sha256', text);
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
