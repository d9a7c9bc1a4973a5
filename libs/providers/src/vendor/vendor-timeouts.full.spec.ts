import { cleanUp } from '../http/receiver.fixture';
import { HANGING, openVendor } from './matrix.fixture';
import { MATRICES } from './matrices.fixture';

afterEach(cleanUp);

it('every vendor has 10 s for an answer', async () => {
  const calls = MATRICES.flatMap((matrix) => Object.values(HANGING).map((hanging) => ({ matrix, hanging })));

  const outcomes = await Promise.all(
    calls.map(async ({ matrix, hanging }) => {
      const { send, script } = await openVendor(matrix);
      await send();
      script(hanging);
      return send();
    }),
  );

  const late = { kind: 'retry', error: 'The receiver did not answer within 10000 ms', hung: true };
  expect(outcomes).toEqual(calls.map(() => late));
});
