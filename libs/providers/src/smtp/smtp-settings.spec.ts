import { parseSmtpUrl } from './smtp-settings';

describe('an SMTP URL', () => {
  it('contains server and credentials', () => {
    expect(parseSmtpUrl('smtp://us%40er:p%3A%C3%9F@mail.example.com')).toMatchObject({
      host: 'mail.example.com',
      port: 587,
      credentials: { user: 'us@er', password: 'p:ß' },
      tls: 'required',
      verify: true,
      from: { address: 'us@er' },
      connections: 20,
      timeoutMs: 10_000,
    });
    expect(parseSmtpUrl('smtp://[::1]:2525')).toMatchObject({
      host: '::1',
      port: 2525,
      credentials: undefined,
      tls: 'opportunistic',
      verify: false,
    });
    expect(parseSmtpUrl('smtps://mail.example.com')).toMatchObject({ port: 465, tls: 'implicit', verify: true });
  });

  it('accepts options', () => {
    const url = 'smtp://localhost:25?from=Käse%20%26%20Co%20<a@käse.example>&connections=3&timeout=700&tls=off&name=me.example';
    expect(parseSmtpUrl(url)).toMatchObject({
      from: { name: 'Käse & Co', address: 'a@xn--kse-qla.example' },
      connections: 3,
      timeoutMs: 700,
      tls: 'off',
      clientName: 'me.example',
    });
  });

  it.each([
    ['smtp://u:p@127.0.0.1', 'opportunistic'],
    ['smtp://u:p@localhost', 'opportunistic'],
    ['smtp://u:p@mail.example.com', 'required'],
    ['smtp://u:p@mail.example.com?tls=opportunistic', 'required'],
    ['smtp://u:p@mail.example.com?tls=off', 'off'],
    ['smtp://mail.example.com', 'opportunistic'],
  ])('%s protects its password: %s', (url, tls) => {
    expect(parseSmtpUrl(url).tls).toBe(tls);
  });

  it.each([
    'no url',
    'http://mail.example.com',
    'smtp://',
    'smtp://h?conections=3',
    'smtp://h?connections=0',
    'smtp://h?connections=1e3',
    'smtp://h?timeout=99',
    'smtp://h?tls=maybe',
    'smtps://h?tls=off',
    'smtp://h?verify=no',
    'smtp://h?from=a@b.c,d@e.f',
    'smtp://h?from=no-address',
    'smtp://u:secret%@h',
  ])('that is invalid is refused without quoting it: %s', (url) => {
    expect(() => parseSmtpUrl(url)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.not.stringContaining('secret') as string }) as Error,
    );
  });
});
