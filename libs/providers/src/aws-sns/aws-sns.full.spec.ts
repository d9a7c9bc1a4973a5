import { itWith } from '@tidings/testing/installed-tools';
import { moto, type Moto } from '@tidings/testing/moto';
import { attempt, cleanUp, cleanUps, LOOPBACK } from '../http/receiver.fixture';
import { UNLIMITED } from '../vendor/matrix.fixture';
import { awsSnsKind } from './aws-sns';
import { AWS_SNS, SETTINGS } from './aws-sns.fixture';

let server: Moto | undefined;

afterEach(cleanUp);
afterEach(() => server?.stop());

itWith(moto)('sends SMS that another implementation of Amazon SNS accepts, and tests the credentials', async () => {
  server = await moto.start();
  const provider = awsSnsKind.open(awsSnsKind.parseSettings({ ...SETTINGS, sender_id: 'Shop', base_url: server.url }), { guard: LOOPBACK });
  cleanUps.push(() => provider.close());
  const { rendered, recipient } = AWS_SNS.message;

  expect(await provider.test(UNLIMITED)).toEqual({ ok: true });
  expect(await provider.send(rendered, recipient, attempt())).toMatchObject({
    kind: 'accepted',
    reference: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string },
  });

  const data = (await (await fetch(`${server.url}/moto-api/data.json`)).json()) as object;
  expect(JSON.stringify(data)).toContain('Shipped');
});
