import '@tidings/testing/quiet';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ClientProxy } from '@nestjs/microservices';
import type { ServiceError } from '@tidings/contracts/core/errors';
import { RequestKey } from '@tidings/contracts/core/idempotency';
import { waitUntil } from '@tidings/testing/wait-until';
import { firstValueFrom } from 'rxjs';
import { encodeRequest } from './envelope';
import { caller, elsewhere, greetings, GreetingsHandlers, GreetingsModule, type Letter, NOBODY, TRAP, unserved } from './greetings.fixture';
import type { OperationClient } from './operation-client';
import { CONCURRENT_HANDLERS_MAX } from './operation-server';
import type { RpcTransport } from './transport';

/** Long enough that a call which is answered is answered, on a machine with other things to do. */
const PATIENCE_MS = 30_000;

interface Extent {
  /** How much one call carries there and back. */
  largeChars?: number;
  /** Short, and still long enough that a call has left before, on a machine that stands still for a moment. */
  deadlineMs?: number;
  /** Whether requests wait for a service of which there was no instance yet. */
  keepsRequests?: boolean;
}

/** What every way for operations to travel promises. */
export function describeRpcTransport(name: string, open: () => Promise<RpcTransport>, extent: Extent = {}): void {
  const { largeChars = 5_000_000, deadlineMs = 2_500, keepsRequests = false } = extent;
  describe(name, () => {
    let transport: RpcTransport;
    let service: INestMicroservice;
    let handlers: GreetingsHandlers;
    let client: OperationClient;
    let early: Promise<Letter> | undefined;

    const serve = async (): Promise<void> => {
      service = await NestFactory.createMicroservice(GreetingsModule, { strategy: transport.server('audience'), logger: false });
      await service.listen();
      handlers = service.get(GreetingsHandlers);
    };

    beforeAll(async () => {
      transport = await open();
      client = transport.client();
      // A command: a read would be asked again.
      if (keepsRequests) early = client.call(greetings.echo, caller, { text: 'early' });
      early?.catch(() => {}); // awaited below
      await serve();
    });
    afterAll(async () => {
      await service?.close();
      await transport.close();
    });

    afterEach(() => {
      handlers.end();
      handlers.seen.length = 0;
    });

    if (keepsRequests) {
      it('answers what was asked before the first instance of the service came', async () => {
        await expect(early).resolves.toEqual({ text: 'early' });
      });
    }

    it('answers what the handler returns, and gives it the caller and a request of its class', async () => {
      const answer = await client.call(greetings.greet, caller, { name: 'Ada', times: 2 });

      expect(answer).toEqual({ text: 'Hello Ada' });
      expect(handlers.seen[0]!.context).toMatchObject(caller);
      expect(handlers.seen[0]!.request.constructor.name).toBe('Greet');
      expect(handlers.seen[0]!.request).toEqual({ name: 'Ada', times: 2 });
    });

    it('carries a call id that looks like something else, as it is', async () => {
      for (const callId of ['{"a":1}', '["a"]', 'ein Gruß ✉', 'two\nlines']) {
        await client.call(greetings.greet, { ...caller, callId }, { name: 'Ada' });
        expect(handlers.seen.at(-1)!.context.callId).toBe(callId);
      }
    });

    it("carries a request's key, and says of an answer or an error that it was given before", async () => {
      const outcomes: unknown[] = [];
      for (const name of ['Ada', 'Bob', NOBODY]) {
        const key = new RequestKey(name === 'Bob' ? 'Ada' : name, 1_900_000_000_000);
        for (const callId of ['first', 'second']) {
          const called = client.callForJson(greetings.greet, { ...caller, callId, requestKey: key }, { name });
          const answer = await called.catch(({ code }: ServiceError) => code);
          outcomes.push([answer, key.replayed]);
        }
      }

      expect(outcomes).toEqual([
        ['{"text":"Hello Ada"}', false],
        ['{"text":"Hello Ada"}', true],
        ['{"text":"Hello Ada"}', true],
        ['{"text":"Hello Ada"}', true],
        ['not_found', false],
        ['not_found', true],
      ]);
      expect(handlers.seen.map(({ request }) => request.name)).toEqual(['Ada', NOBODY]);
      expect(handlers.seen[0]!.context.requestKey).toBeUndefined();
    });

    it("carries a request's key without a trace, and an answer that is nothing", async () => {
      const context = { ...caller, traceparent: undefined, requestKey: new RequestKey('silent', 1_900_000_000_000) };
      await client.callForJson(greetings.forget, context, { name: 'Ada' });

      await expect(client.callForJson(greetings.forget, context, { name: 'Ada' })).resolves.toBeUndefined();
      expect(context.requestKey.replayed).toBe(true);
    });

    it('answers nothing where there is nothing to say', async () => {
      await expect(client.call(greetings.forget, caller, { name: 'Ada' })).resolves.toBeUndefined();
    });

    it(`carries ${largeChars} characters there and back`, async () => {
      const text = 'ü'.repeat(largeChars);
      const answer = await client.call(greetings.echo, caller, { text });
      expect(answer.text === text).toBe(true);
    });

    it('answers many calls at once, each with its own answer', async () => {
      const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
      const answers = await Promise.all(names.map((who) => client.call(greetings.greet, caller, { name: who })));
      expect(answers.map(({ text }) => text)).toEqual(names.map((who) => `Hello ${who}`));
    });

    it('shares no object between caller and handler', async () => {
      const request = { name: 'Ada' };
      await client.call(greetings.greet, caller, request);
      expect(handlers.seen[0]!.request).not.toBe(request);
    });

    it("carries a handler's own errors with code, words and hints", async () => {
      await expect(client.call(greetings.greet, caller, { name: NOBODY })).rejects.toMatchObject({
        code: 'not_found',
        message: 'Nobody is there',
        hints: { shouldRetry: false },
      });
    });

    it('says nothing about an unexpected error but that there was one', async () => {
      const call = client.call(greetings.greet, caller, { name: TRAP });
      await expect(call).rejects.toMatchObject({ code: 'internal' });
      await expect(call).rejects.not.toThrow(/secret/);
    });

    it('validates again in the service', async () => {
      await expect(client.call(greetings.greet, caller, { name: 'x'.repeat(21) })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('name') as string,
      });
      expect(handlers.seen).toHaveLength(0);
    });

    it('refuses an operation that nobody handles', async () => {
      await expect(client.call(unserved, caller, { name: 'Ada' })).rejects.toMatchObject({ code: 'not_served' });
    });

    it('is unavailable, with a hint when to try again, while the service is not running', async () => {
      await expect(client.call(elsewhere, caller, { name: 'Ada' }, { deadlineMs: 500 })).rejects.toMatchObject({
        code: 'unavailable',
        hints: { retryAfterSeconds: 1 },
      });
    });

    it('ends a call at its deadline', async () => {
      await expect(client.call(greetings.wait, caller, { name: 'Ada' }, { deadlineMs })).rejects.toMatchObject({
        code: 'deadline_exceeded',
      });
    });

    it('runs a bounded number of handlers and drops a waiting call whose caller gave up', async () => {
      await client.call(greetings.greet, caller, { name: 'Ada' }, { deadlineMs: PATIENCE_MS });
      const running = Array.from({ length: CONCURRENT_HANDLERS_MAX }, () =>
        client.call(greetings.wait, caller, { name: 'Ada' }, { deadlineMs: PATIENCE_MS }),
      );
      await waitUntil(() => handlers.open.length === CONCURRENT_HANDLERS_MAX);
      const impatient = client.call(greetings.greet, caller, { name: 'late' }, { deadlineMs });
      const patient = client.call(greetings.greet, caller, { name: 'Ada' }, { deadlineMs: PATIENCE_MS });

      // The service counts from the request's arrival: it is surely past its deadline there when one with a later deadline has ended.
      const later = client.call(greetings.greet, caller, { name: 'later' }, { deadlineMs: 2 * deadlineMs });

      await expect(impatient).rejects.toMatchObject({ code: 'deadline_exceeded' });
      await expect(later).rejects.toMatchObject({ code: 'deadline_exceeded' });
      expect(handlers.open).toHaveLength(CONCURRENT_HANDLERS_MAX);
      handlers.end();
      await Promise.all(running);
      await expect(patient).resolves.toEqual({ text: 'Hello Ada' });
      expect(handlers.seen.map(({ request }) => request.name)).not.toContain('late');
    });

    it('answers the calls at work before it stops', async () => {
      const call = client.call(greetings.wait, caller, { name: 'Ada' });
      await waitUntil(() => handlers.open.length === 1);
      const stopping = service.close();
      handlers.end();
      await expect(call).resolves.toBeUndefined();
      await stopping;
      await serve();
    });

    it('is ready while calls can be made', async () => {
      expect(await transport.ready()).toBe(true);
    });

    it("serves Nest's own client interface with the same envelope", async () => {
      const proxy = client as unknown as ClientProxy;
      const record = encodeRequest(greetings.greet, caller, { name: 'Ada' }, PATIENCE_MS);
      const reply = await firstValueFrom(proxy.send<string>(greetings.greet.pattern, record));
      expect(JSON.parse(reply)).toEqual({ ok: { text: 'Hello Ada' } });
    });
  });
}
