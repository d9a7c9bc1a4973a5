import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { MESSAGEBIRD } from './messagebird.fixture';

describeVendor(MESSAGEBIRD);

const { recipient } = MESSAGEBIRD.message;
const DELIVERY = '1-5e2b2615-05efbb3acab9172f88dd3f6f.0';

it.each([
  ['[Größe] für 5 €', 'plain'],
  ['Привет', 'unicode'],
])('sends %s, coded as %s, to digits', async (text, datacoding) => {
  const { peer, send } = await openVendor(MESSAGEBIRD);

  await send({ rendered: { kind: 'sms', sms: { text } }, recipient });

  const { headers, body } = peer.first('send');
  expect(headers).toMatchObject({ authorization: 'AccessKey the-key-of-the-account', 'user-agent': 'tidings' });
  expect(JSON.parse(body)).toEqual({ originator: 'Shop', recipients: ['4915123456789'], body: text, datacoding, reference: DELIVERY });
});

it('takes the changes of a send: the sender, and fields of the request', async () => {
  const settings = { access_key: 'the-key-of-the-account', originator: 'Shop', validity_period: 600 };
  const { peer, send } = await openVendor({ ...MESSAGEBIRD, settings: () => settings });

  await send(undefined, { override: { config: { originator: 'Sale' }, body: { gateway: 10 } } });

  expect(JSON.parse(peer.first('send').body)).toEqual({
    originator: 'Sale',
    recipients: ['4915123456789'],
    body: 'Shipped',
    datacoding: 'plain',
    reference: DELIVERY,
    validity: 600,
    gateway: 10,
  });
});
