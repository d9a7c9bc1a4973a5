import '@tidings/testing/quiet';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Actor } from '@tidings/contracts/core/audit';
import type { ServiceError } from '@tidings/contracts/core/errors';
import { RequestKey } from '@tidings/contracts/core/idempotency';
import { waitUntil } from '@tidings/testing/wait-until';
import {
  caller,
  elsewhere,
  greetings,
  GreetingsHandlers,
  GreetingsModule,
  type Text,
  UNKNOWN_NAME,
  FAILING_NAME,
  unserved,
} from './greetings.fixture';
import type { OperationClient } from './operation-client';
import { CONCURRENT_HANDLERS_MAX } from './operation-server';
import type { RpcTransport } from './transport';

/** Long enough for every answered call, even on a busy machine. */
const LONG_DEADLINE_MS = 30_000;

interface ContractOptions {
  /** Characters of a large request and reply. */
  largeChars?: number;
  /** A short deadline, still long enough to send a call on a machine that pauses for a moment. */
  deadlineMs?: number;
  /** Whether requests wait for the first instance of a service. */
  retainsRequests?: boolean;
}

/** What every transport of operations promises. */
export function describeRpcTransport(name: string, open: () => Promise<RpcTransport>, options: ContractOptions = {}): void {
  const { largeChars = 5_000_000, deadlineMs = 2_500, retainsRequests = false } = options;
  describe(name, () => {
    let transport: RpcTransport;
    let service: INestMicroservice;
    let handlers: GreetingsHandlers;
    let client: OperationClient;
    let early: Promise<Text> | undefined;

    const serve = async (): Promise<void> => {
      service = await NestFactory.createMicroservice(GreetingsModule, { strategy: transport.server('audience'), logger: false });
      await service.listen();
      handlers = service.get(GreetingsHandlers);
    };

    beforeAll(async () => {
      transport = await open();
      client = transport.client();
      // A command, because a read would be retried.
      if (retainsRequests) early = client.call(greetings.echo, caller, { text: 'early' });
      early?.catch(() => {}); // awaited below
      await serve();
    });
    afterAll(async () => {
      await service?.close();
      await transport.close();
    });

    beforeEach(async () => {
      // Kafka may be occupied with the large record of an earlier test for so long that calls are refused.
      const answer = () => client.call(greetings.greet, caller, { name: 'Ada' }).catch(() => undefined);
      await waitUntil(answer, { what: 'a call to be answered' });
      handlers.seen.length = 0;
    });
    afterEach(() => {
      handlers.end();
      handlers.seen.length = 0;
    });

    if (retainsRequests) {
      it('answers a request sent before the first instance of the service started', async () => {
        await expect(early).resolves.toEqual({ text: 'early' });
      });
    }

    it('answers what the handler returns, and passes it the caller’s context and a request of its class', async () => {
      const answer = await client.call(greetings.greet, caller, { name: 'Ada', times: 2 });

      expect(answer).toEqual({ text: 'Hello Ada' });
      expect(handlers.seen[0]!.context).toMatchObject(caller);
      expect(handlers.seen[0]!.request.constructor.name).toBe('Greet');
      expect(handlers.seen[0]!.request).toEqual({ name: 'Ada', times: 2 });
    });

    it('passes on who makes an audited call and what it changes, and no caller of another call', async () => {
      const actor: Actor = { type: 'token', id: 'k-1', users: ['Änne "A"', 'bo'] };
      await client.call(greetings.rename, { ...caller, actor }, { name: 'Ada' });
      await client.call(greetings.rename, caller, { name: 'Ada' });
      await client.call(greetings.greet, { ...caller, actor: { type: 'api-key', id: 'k-1' } }, { name: 'Ada' });

      const [audited, unnamed, read] = handlers.seen.map(({ context }) => context);
      expect(audited).toMatchObject({ actor, audit: { type: 'list:replaced', operation: 'audience.greetings.rename' } });
      expect(audited!.audit!.targetIdOf(undefined)).toBe('Ada');
      for (const context of [unnamed, read]) expect([context!.actor, context!.audit]).toEqual([undefined, undefined]);
    });

    it('passes on any call id unchanged', async () => {
      for (const callId of ['{"a":1}', '["a"]', 'ein Gruß ✉', 'two\nlines']) {
        await client.call(greetings.greet, { ...caller, callId }, { name: 'Ada' });
        expect(handlers.seen.at(-1)!.context.callId).toBe(callId);
      }
    });

    it("passes on a request's key, and marks a replayed answer or error", async () => {
      const outcomes: unknown[] = [];
      for (const name of ['Ada', 'Bob', UNKNOWN_NAME]) {
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
      expect(handlers.seen.map(({ request }) => request.name)).toEqual(['Ada', UNKNOWN_NAME]);
      expect(handlers.seen[0]!.context.requestKey).toBeUndefined();
    });

    it("passes on the hash of a request's body", async () => {
      const called = (bodyHash: string): Promise<unknown> =>
        client.callForJson(
          greetings.greet,
          { ...caller, requestKey: new RequestKey('hashed', 1_900_000_000_000, bodyHash) },
          { name: 'Ada' },
        );
      await called('one');

      await expect(called('other')).rejects.toMatchObject({ code: 'key_reused' });
      await expect(called('one')).resolves.toBe('{"text":"Hello Ada"}');
    });

    it("passes on a request's key without a trace, and replays an empty answer", async () => {
      const context = { ...caller, traceparent: undefined, requestKey: new RequestKey('silent', 1_900_000_000_000) };
      await client.callForJson(greetings.forget, context, { name: 'Ada' });

      await expect(client.callForJson(greetings.forget, context, { name: 'Ada' })).resolves.toBeUndefined();
      expect(context.requestKey.replayed).toBe(true);
    });

    it('returns nothing for an empty answer', async () => {
      await expect(client.call(greetings.forget, caller, { name: 'Ada' })).resolves.toBeUndefined();
    });

    it(`transmits ${largeChars} characters in request and reply`, async () => {
      const text = 'ü'.repeat(largeChars);
      const answer = await client.call(greetings.echo, caller, { text }, { deadlineMs: LONG_DEADLINE_MS });
      expect(answer.text === text).toBe(true);
    });

    it('answers many calls at once, each with its own answer', async () => {
      const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
      const call = (who: string) => client.call(greetings.greet, caller, { name: who }, { deadlineMs: LONG_DEADLINE_MS });
      const answers = await Promise.all(names.map(call));
      expect(answers.map(({ text }) => text)).toEqual(names.map((who) => `Hello ${who}`));
    });

    it('shares no object between caller and handler', async () => {
      const request = { name: 'Ada' };
      await client.call(greetings.greet, caller, request);
      expect(handlers.seen[0]!.request).not.toBe(request);
    });

    it("passes on a handler's own errors with code, message and hints", async () => {
      await expect(client.call(greetings.greet, caller, { name: UNKNOWN_NAME })).rejects.toMatchObject({
        code: 'not_found',
        message: 'No such name',
        hints: { shouldRetry: false },
      });
    });

    it('reports an unexpected error as internal, without its message', async () => {
      const call = client.call(greetings.greet, caller, { name: FAILING_NAME });
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

    it('checks the scope again in the service', async () => {
      const call = client.call(greetings.whisper, { ...caller, scopes: ['read:lists'] }, { name: 'Ada' });

      await expect(call).rejects.toMatchObject({ code: 'forbidden', message: 'The credential lacks the scope read:greetings' });
      expect(handlers.seen).toEqual([]);
      await client.call(greetings.whisper, caller, { name: 'Ada' });
      expect(handlers.seen).toHaveLength(1);
    });

    it('refuses an operation without a handler', async () => {
      await expect(client.call(unserved, caller, { name: 'Ada' })).rejects.toMatchObject({ code: 'not_served' });
    });

    it('is unavailable, with a retry hint, while the service is not running', async () => {
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

    it('limits concurrent handlers, and drops waiting calls past their deadline', async () => {
      await client.call(greetings.greet, caller, { name: 'Ada' }, { deadlineMs: LONG_DEADLINE_MS });
      const running = Array.from({ length: CONCURRENT_HANDLERS_MAX }, () =>
        client.call(greetings.wait, caller, { name: 'Ada' }, { deadlineMs: LONG_DEADLINE_MS }),
      );
      await waitUntil(() => handlers.open.length === CONCURRENT_HANDLERS_MAX);
      const late = client.call(greetings.greet, caller, { name: 'late' }, { deadlineMs });
      const waiting = client.call(greetings.greet, caller, { name: 'Ada' }, { deadlineMs: LONG_DEADLINE_MS });

      // The service counts from arrival: the late call is past its deadline there once a call with a later deadline has ended.
      const later = client.call(greetings.greet, caller, { name: 'later' }, { deadlineMs: 2 * deadlineMs });

      await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
      await expect(later).rejects.toMatchObject({ code: 'deadline_exceeded' });
      expect(handlers.open).toHaveLength(CONCURRENT_HANDLERS_MAX);
      handlers.end();
      await Promise.all(running);
      await expect(waiting).resolves.toEqual({ text: 'Hello Ada' });
      expect(handlers.seen.map(({ request }) => request.name)).not.toContain('late');
    });

    it('answers open calls before it stops', async () => {
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
  });
}
