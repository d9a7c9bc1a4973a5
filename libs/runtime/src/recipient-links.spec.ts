import { randomBytes, randomUUID } from 'node:crypto';
import { LINK_VALID_MS, type LinkRecipient, RecipientLinks } from './recipient-links';

const NOW = Date.UTC(2026, 10, 29);
const WEEK_MS = 7 * 86_400_000;
const key = randomBytes(32);
const recipient: LinkRecipient = {
  workspaceId: randomUUID(),
  messageId: '1-65f2a1b0-9c3d4e5f60718293a4b5c6d7',
  channel: 'email',
  userId: 'ada@example.com',
  tenantId: undefined,
  topicId: 'tpc_1',
  address: undefined,
  brandId: undefined,
};
const links = new RecipientLinks([key], 'https://tidings.example/base');
const tokenOf = (of: LinkRecipient, from = links): string => from.urlsOf(of, NOW)!.unsubscribe.split('/').pop()!;

describe('recipient links', () => {
  it('lead to the two pages, and open as what they were made of', () => {
    const token = tokenOf(recipient);
    const { unsubscribe, preferences } = links.urlsOf(recipient, NOW)!;
    expect(unsubscribe).toBe(`https://tidings.example/base/u/${token}`);
    expect(preferences).toBe(`https://tidings.example/base/p/${token}`);
    expect(links.open(token, NOW)).toEqual({ recipient });
  });

  it.each<Partial<LinkRecipient>>([
    { userId: undefined, topicId: undefined, address: 'ada@example.com' },
    { tenantId: 'acme', brandId: 'brand-1' },
    { brandId: null },
    { userId: 'ü"\u0000\n' },
  ])('carry every field: %j', (fields) => {
    const whole = { ...recipient, ...fields };
    expect(links.open(tokenOf(whole), NOW)).toEqual({ recipient: whole });
  });

  it('show neither user nor address', () => {
    const bytes = Buffer.from(tokenOf({ ...recipient, address: 'ada@example.com' }), 'base64url');
    expect(bytes.includes('ada')).toBe(false);
  });

  it('are equal for equal renderings, and differ for any other', () => {
    expect(tokenOf(recipient)).toBe(tokenOf({ ...recipient }));
    const others = [{ userId: 'bob' }, { topicId: 'tpc_2' }, { workspaceId: randomUUID() }];
    expect(new Set([{}, ...others].map((fields) => tokenOf({ ...recipient, ...fields }))).size).toBe(4);
  });

  it('are valid 400 days, and expired a week later at most', () => {
    const token = tokenOf(recipient);
    expect(links.open(token, NOW + LINK_VALID_MS)).toEqual({ recipient });
    expect(links.open(token, NOW + LINK_VALID_MS + WEEK_MS + 1)).toBe('expired');
  });

  it('are invalid where any byte differs', () => {
    const bytes = Buffer.from(tokenOf(recipient), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const forged = Buffer.from(bytes);
      forged[at]! ^= 1;
      expect(links.open(forged.toString('base64url'), NOW)).toBe('invalid');
    }
  });

  it('are invalid in another workspace', () => {
    const bytes = Buffer.from(tokenOf(recipient), 'base64url');
    Buffer.from(randomUUID().replaceAll('-', ''), 'hex').copy(bytes, 1);
    expect(links.open(bytes.toString('base64url'), NOW)).toBe('invalid');
  });

  it.each(['', 'a', 'AQ', 'not base64!', 'A'.repeat(5_000), `${tokenOf(recipient)}=`, `${tokenOf(recipient)}A`])(
    'refuse what is no token: %p',
    (token) => {
      expect(links.open(token, NOW)).toBe('invalid');
    },
  );

  it('open with an earlier key as long as it is there', () => {
    const token = tokenOf(recipient);
    const other = randomBytes(32);
    expect(new RecipientLinks([other, key]).open(token, NOW)).toEqual({ recipient });
    expect(new RecipientLinks([other]).open(token, NOW)).toBe('invalid');
  });

  it.each([
    [new RecipientLinks([key]), 'TIDINGS_PUBLIC_URL is not set'],
    [new RecipientLinks([], 'https://tidings.example'), 'TIDINGS_SECRET_KEY is not set'],
  ])('are not made without what they need: %#', (made, missing) => {
    expect(made.missing).toBe(missing);
    expect(made.urlsOf(recipient, NOW)).toBeUndefined();
  });
});
