import { describeVendor, openVendor, UNLIMITED } from '../vendor/matrix.fixture';
import { awsSesKind } from './aws-ses';
import { ADA, AWS_SES, mailOf, SETTINGS } from './aws-ses.fixture';

describeVendor(AWS_SES);

const sent = (body: string): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

it('sends the whole mail, signed', async () => {
  const { peer, send } = await openVendor(
    { ...AWS_SES, settings: () => ({ ...SETTINGS, session_token: 'session', configuration_set: 'events' }) },
    { now: () => Date.parse('2026-03-01T12:00:00Z') },
  );
  const mail = mailOf({
    from: 'Jörg Example <joerg@example.com>',
    replyTo: 'help@example.com',
    cc: ['Bob <bob@example.com>'],
    bcc: ['audit@example.com'],
    listUnsubscribe: { url: 'https://example.com/u', mailto: 'u@example.com', oneClick: true },
    attachments: [{ filename: 'größe.txt', contentType: 'text/plain', content: Buffer.from('42') }],
  });

  await send({ rendered: mail, recipient: ADA });

  expect(peer.problems).toEqual([]);
  const { url, headers, body } = peer.received('send')[0]!;
  expect(url).toBe('/v2/email/outbound-emails');
  expect(headers).toMatchObject({
    'x-amz-date': '20260301T120000Z',
    'x-amz-security-token': 'session',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE000000\/20260301\/eu-central-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    ) as string,
  });
  expect(sent(body)).toEqual({
    FromEmailAddress: '=?UTF-8?Q?J=C3=B6rg_Example?= <joerg@example.com>',
    Destination: { ToAddresses: ['ada@example.com'], CcAddresses: ['Bob <bob@example.com>'], BccAddresses: ['audit@example.com'] },
    ReplyToAddresses: ['help@example.com'],
    ConfigurationSetName: 'events',
    EmailTags: [{ Name: 'tidings_delivery', Value: '1-5e2b2615-05efbb3acab9172f88dd3f6f_0' }],
    Content: {
      Simple: {
        Subject: { Data: 'Your order', Charset: 'UTF-8' },
        Body: { Text: { Data: 'Shipped', Charset: 'UTF-8' }, Html: { Data: '<p>Shipped</p>', Charset: 'UTF-8' } },
        Headers: [
          { Name: 'List-Unsubscribe', Value: '<https://example.com/u>, <mailto:u@example.com>' },
          { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
        ],
        Attachments: [
          {
            FileName: 'größe.txt',
            ContentType: 'text/plain',
            ContentDisposition: 'ATTACHMENT',
            ContentTransferEncoding: 'BASE64',
            RawContent: 'NDI=',
          },
        ],
      },
    },
  });
});

it('lets a send change sender, configuration set and body', async () => {
  const { peer, send } = await openVendor(AWS_SES);
  const override = {
    config: { from_address: 'other@example.com', configuration_set: 'others' },
    body: { EmailTags: [{ Name: 'campaign', Value: 'spring' }] },
  };

  await send(AWS_SES.message, { override });

  expect(sent(peer.received('send')[0]!.body)).toMatchObject({
    FromEmailAddress: 'other@example.com',
    ConfigurationSetName: 'others',
    EmailTags: [{ Name: 'campaign', Value: 'spring' }],
  });
});

it('names only the page where both addresses for unsubscribing are too long for a header', async () => {
  const { peer, send } = await openVendor(AWS_SES);
  const url = `https://example.com/${'u'.repeat(870)}`;
  const mailto = `${'u'.repeat(60)}@${'d'.repeat(60)}.example`;

  await send({ rendered: mailOf({ listUnsubscribe: { url, mailto } }), recipient: ADA });

  expect(sent(peer.received('send')[0]!.body)).toMatchObject({
    Content: { Simple: { Headers: [{ Name: 'List-Unsubscribe', Value: `<${url}>` }] } },
  });
});

it('does not send to an address beyond ASCII, nor to none', async () => {
  const { peer, send } = await openVendor(AWS_SES);
  const to = (email: string) => send({ rendered: mailOf(), recipient: { channel: 'email', email } });

  await expect(to('jörg@example.com')).resolves.toMatchObject({ kind: 'failed', cause: 'permanent' });
  await expect(to('no-address')).resolves.toMatchObject({ kind: 'failed', cause: 'recipient', reasonCode: 'HARD' });
  expect(peer.received('send')).toEqual([]);
});

it('reports that the account may not send', async () => {
  const { peer, provider } = await openVendor(AWS_SES);
  peer.scripts.set('account', { status: 200, body: { SendingEnabled: false } });

  await expect(provider.test(UNLIMITED)).resolves.toEqual({
    ok: false,
    message: 'Amazon SES has paused the sending of this account',
    status: 200,
  });
});

describe('settings', () => {
  const hostOf = (region: string) => awsSesKind.hostOf(awsSesKind.parseSettings({ ...SETTINGS, region }))?.host;

  it('lead to the host of the region', () => {
    expect(hostOf('eu-central-1')).toBe('email.eu-central-1.amazonaws.com');
    expect(hostOf('cn-north-1')).toBe('email.cn-north-1.amazonaws.com.cn');
  });

  it('name what is wrong, without quoting a secret', () => {
    const wrong = {
      access_key_id: 'AKID/EXAMPLE/0000',
      secret_access_key: 'secret',
      region: 'evil.example',
      from_address: 'x',
      configuration_set: 'a b',
    };
    expect(() => awsSesKind.parseSettings({ ...wrong, session_token: 'a secret' })).toThrow(
      'settings.access_key_id must be letters and digits; settings.session_token must be printable ASCII characters; ' +
        'settings.region must be a region, such as eu-central-1; settings.from_address must be one e-mail address, or Name <address>; ' +
        'settings.configuration_set must be letters, digits, hyphens and underscores',
    );
  });
});
