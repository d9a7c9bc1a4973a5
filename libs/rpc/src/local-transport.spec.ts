import { Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { defineOperation, Nothing } from '@tidings/contracts/core/operation';
import { IsInt, IsOptional, IsString, MaxLength } from 'class-validator';
import { firstValueFrom } from 'rxjs';
import { ClientProxy } from '@nestjs/microservices';
import { encodeRequest } from './envelope';
import { Handles } from './handles';
import { LocalTransport } from './local-transport';
import type { OperationClient } from './operation-client';
import { CONCURRENT_HANDLERS_MAX } from './operation-server';

class Greet {
  @IsString()
  @MaxLength(20)
  name!: string;

  @IsOptional()
  @IsInt()
  times?: number;
}

class Greeting {
  @IsString()
  text!: string;
}

const greetings = {
  greet: defineOperation({ pattern: 'audience.greetings.greet', scope: 'internal', summary: '', request: Greet, response: Greeting }),
  forget: defineOperation({ pattern: 'audience.greetings.forget', scope: 'internal', summary: '', request: Greet, response: Nothing }),
  wait: defineOperation({ pattern: 'audience.greetings.wait', scope: 'internal', summary: '', request: Greet, response: Nothing }),
};

const unserved = defineOperation({ pattern: 'audience.greetings.sing', scope: 'internal', summary: '', request: Greet, response: Nothing });
const elsewhere = defineOperation({
  pattern: 'content.greetings.greet',
  scope: 'internal',
  summary: '',
  request: Greet,
  response: Nothing,
});

let seen: { context: CallContext; request: Greet }[] = [];
let open: (() => void)[] = [];

@Handles(greetings)
class GreetingsHandlers implements Handlers<typeof greetings> {
  async greet(context: CallContext, request: Greet): Promise<Greeting> {
    seen.push({ context, request });
    if (request.name === 'nobody') throw new ServiceError('not_found', 'Nobody is there', { shouldRetry: false });
    if (request.name === 'trap') throw new Error('password=secret');
    return { text: `Hello ${request.name}` };
  }

  async forget(): Promise<void> {}

  wait(): Promise<void> {
    return new Promise((resolve) => open.push(resolve));
  }
}

@Module({ controllers: [GreetingsHandlers] })
class GreetingsModule {}

const context: CallContext = {
  workspaceId: '11111111-1111-4111-8111-111111111111',
  scopes: ['read:greetings'],
  mode: 'test',
  callId: 'call-1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

describe('operations inside one process', () => {
  let transport: LocalTransport;
  let service: INestMicroservice;
  let client: OperationClient;

  beforeEach(async () => {
    seen = [];
    open = [];
    transport = new LocalTransport();
    service = await NestFactory.createMicroservice(GreetingsModule, { strategy: transport.server('audience'), logger: false });
    await service.listen();
    client = transport.client();
  });

  afterEach(async () => {
    for (const end of open) end();
    await service.close();
    await transport.close();
  });

  it('answers what the handler returns, and gives it the caller and a request of its class', async () => {
    const answer = await client.call(greetings.greet, context, { name: 'Ada', times: 2 });

    expect(answer).toEqual({ text: 'Hello Ada' });
    expect(seen[0]!.context).toEqual(context);
    expect(seen[0]!.request).toBeInstanceOf(Greet);
    expect(seen[0]!.request).toEqual({ name: 'Ada', times: 2 });
  });

  it('answers nothing where there is nothing to say', async () => {
    await expect(client.call(greetings.forget, context, { name: 'Ada' })).resolves.toBeUndefined();
  });

  it('shares no object between caller and handler', async () => {
    const request = { name: 'Ada' };
    await client.call(greetings.greet, context, request);
    expect(seen[0]!.request).not.toBe(request);
  });

  it("carries a handler's own errors with code, words and hints", async () => {
    await expect(client.call(greetings.greet, context, { name: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Nobody is there',
      hints: { shouldRetry: false },
    });
  });

  it('says nothing about an unexpected error but that there was one', async () => {
    const call = client.call(greetings.greet, context, { name: 'trap' });
    await expect(call).rejects.toMatchObject({ code: 'internal' });
    await expect(call).rejects.not.toThrow(/secret/);
  });

  it('validates again in the service', async () => {
    await expect(client.call(greetings.greet, context, { name: 'x'.repeat(21) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('name') as string,
    });
    expect(seen).toHaveLength(0);
  });

  it('refuses an operation that nobody handles', async () => {
    await expect(client.call(unserved, context, { name: 'Ada' })).rejects.toMatchObject({ code: 'not_served' });
  });

  it('is unavailable, with a hint when to try again, while the service is not running', async () => {
    await expect(client.call(elsewhere, context, { name: 'Ada' })).rejects.toMatchObject({
      code: 'unavailable',
      hints: { retryAfterSeconds: 1 },
    });
  });

  it('ends a call at its deadline', async () => {
    await expect(client.call(greetings.wait, context, { name: 'Ada' }, { deadlineMs: 30 })).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
  });

  it('runs a bounded number of handlers and drops a waiting call whose caller gave up', async () => {
    const running = Array.from({ length: CONCURRENT_HANDLERS_MAX }, () => client.call(greetings.wait, context, { name: 'Ada' }));
    const impatient = client.call(greetings.greet, context, { name: 'late' }, { deadlineMs: 20 });
    const patient = client.call(greetings.greet, context, { name: 'Ada' });

    await expect(impatient).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(open).toHaveLength(CONCURRENT_HANDLERS_MAX);
    for (const end of open.splice(0)) end();
    await Promise.all(running);
    await expect(patient).resolves.toEqual({ text: 'Hello Ada' });
    expect(seen.map(({ request }) => request.name)).toEqual(['Ada']);
  });

  it("serves Nest's own client interface with the same envelope", async () => {
    const proxy = client as unknown as ClientProxy;
    const reply = await firstValueFrom(
      proxy.send<string>(greetings.greet.pattern, encodeRequest(greetings.greet, context, { name: 'Ada' }, 1_000)),
    );
    expect(JSON.parse(reply)).toEqual({ ok: { text: 'Hello Ada' } });
  });
});

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
  const call = client.call(greetings.greet, context, { nickname: 'Ada' });
  return [_Incomplete, _OtherAnswer, call];
}
