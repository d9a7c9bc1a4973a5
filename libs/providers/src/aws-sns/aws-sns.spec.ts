import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { awsSnsKind } from './aws-sns';
import { AWS_SNS, SETTINGS } from './aws-sns.fixture';

describeVendor(AWS_SNS);

const FORM = { Action: 'Publish', Version: '2010-03-31', PhoneNumber: '+4915123456789', Message: 'Shipped' };
const attribute = (number: number, name: string, type: string, value: string) => ({
  [`MessageAttributes.entry.${number}.Name`]: `AWS.SNS.SMS.${name}`,
  [`MessageAttributes.entry.${number}.Value.DataType`]: type,
  [`MessageAttributes.entry.${number}.Value.StringValue`]: value,
});
const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body));

it('sends the text as a signed form', async () => {
  const { peer, send } = await openVendor(AWS_SNS, { now: () => Date.parse('2026-03-01T12:00:00Z') });

  await send();

  const { url, headers, body } = peer.first('send');
  expect(url).toBe('/');
  expect(headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    'x-amz-date': '20260301T120000Z',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE000000\/20260301\/eu-central-1\/sns\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
    ) as string,
  });
  expect(formOf(body)).toEqual({ ...FORM, ...attribute(1, 'SMSType', 'String', 'Transactional') });
});

it('numbers the attributes of settings and of a send', async () => {
  const settings = { ...SETTINGS, sms_type: 'Promotional', max_price: '0.50' };
  const { peer, send } = await openVendor({ ...AWS_SNS, settings: () => settings });

  await send();
  await send(undefined, { override: { config: { sender_id: 'Sale' } } });

  expect(peer.received('send').map(({ body }) => formOf(body))).toEqual([
    { ...FORM, ...attribute(1, 'SMSType', 'String', 'Promotional'), ...attribute(2, 'MaxPrice', 'Number', '0.50') },
    {
      ...FORM,
      ...attribute(1, 'SMSType', 'String', 'Promotional'),
      ...attribute(2, 'SenderID', 'String', 'Sale'),
      ...attribute(3, 'MaxPrice', 'Number', '0.50'),
    },
  ]);
  expect(peer.problems).toEqual([]);
});

describe('settings', () => {
  it('lead to the host of the region', () => {
    const hostOf = (region: string) => awsSnsKind.hostOf(awsSnsKind.parseSettings({ ...SETTINGS, region }))?.host;
    expect([hostOf('eu-central-1'), hostOf('cn-north-1')]).toEqual(['sns.eu-central-1.amazonaws.com', 'sns.cn-north-1.amazonaws.com.cn']);
  });

  it('name what is wrong', () => {
    const wrong = { region: 'evil.example/', sms_type: 'Bulk', sender_id: 'Käthe', max_price: 'cheap' };
    expect(() => awsSnsKind.parseSettings({ ...SETTINGS, ...wrong })).toThrow(
      'settings.sms_type must be one of Transactional, Promotional, got "Bulk"; settings.region must be a region, such as eu-central-1; ' +
        'settings.sender_id must be up to 11 letters, digits and hyphens; settings.max_price must be a price in US dollars, such as 0.50',
    );
  });
});
