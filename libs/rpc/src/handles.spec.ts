import type { CallContext } from '@tidings/contracts/core/context';
import { caller, type Greet, type Greeting, greetings } from './greetings.fixture';
import { Handles } from './handles';
import type { OperationClient } from './operation-client';

/** What must not compile. */
export function drift(): unknown[] {
  // @ts-expect-error a method is missing
  @Handles(greetings)
  class _Incomplete {
    async greet(_context: CallContext, { name }: Greet): Promise<Greeting> {
      return { text: name };
    }
  }

  // @ts-expect-error an answer of another type
  @Handles({ greet: greetings.greet })
  class _OtherAnswer {
    async greet(): Promise<{ words: string }> {
      return { words: 'Hello' };
    }
  }

  const client = undefined as unknown as OperationClient;
  // @ts-expect-error a request of another type
  const call = client.call(greetings.greet, caller, { nickname: 'Ada' });
  return [_Incomplete, _OtherAnswer, call];
}

it('is checked by the compiler', () => {
  expect(drift).toBeInstanceOf(Function);
});
