import { Module } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError, toErrorShape } from '@tidings/contracts/core/errors';
import { type StoredOutcome, KeyedCalls, keyReused, type RequestKey, type Work } from '@tidings/contracts/core/idempotency';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { defineOperation, Nothing } from '@tidings/contracts/core/operation';
import { IsInt, IsOptional, IsString, MaxLength } from 'class-validator';
import { Handles } from './handles';

/** Names that are answered with an error: a `ServiceError`, an unexpected one. */
export const UNKNOWN_NAME = 'unknown';
export const FAILING_NAME = 'failing';

export class Greet {
  @IsString()
  @MaxLength(20)
  name!: string;

  @IsOptional()
  @IsInt()
  times?: number;
}

export class Greeting {
  @IsString()
  text!: string;
}

export class Text {
  @IsString()
  text!: string;
}

const plain = { scope: 'internal', summary: '' } as const;

/** A service with every kind of operation that a transport has to support. */
export const greetings = {
  greet: defineOperation({ ...plain, pattern: 'audience.greetings.greet', request: Greet, response: Greeting, repeatable: true }),
  forget: defineOperation({ ...plain, pattern: 'audience.greetings.forget', request: Greet, response: Nothing }),
  /** Of clients, whose credential needs a scope. */
  whisper: defineOperation({ ...plain, scope: 'read:greetings', pattern: 'audience.greetings.whisper', request: Greet, response: Nothing }),
  /** Answered when the spec calls `GreetingsHandlers.end`. */
  wait: defineOperation({ ...plain, pattern: 'audience.greetings.wait', request: Greet, response: Nothing }),
  echo: defineOperation({ ...plain, pattern: 'audience.greetings.echo', request: Text, response: Text, carriesSecrets: true }),
  rename: defineOperation({
    ...plain,
    pattern: 'audience.greetings.rename',
    request: Greet,
    response: Greeting,
    audit: 'list:replaced',
    auditTarget: ['name'],
  }),
};

/** Operations without a handler, in a running service and in one that does not run. */
export const unserved = defineOperation({ ...plain, pattern: 'audience.greetings.sing', request: Greet, response: Nothing });
export const elsewhere = defineOperation({
  ...plain,
  pattern: 'content.greetings.greet',
  request: Greet,
  response: Nothing,
  repeatable: true,
});

@Handles(greetings)
export class GreetingsHandlers implements Handlers<typeof greetings> {
  readonly seen: { context: CallContext; request: Greet }[] = [];
  readonly open: (() => void)[] = [];

  async greet(context: CallContext, request: Greet): Promise<Greeting> {
    this.seen.push({ context, request });
    if (request.name === UNKNOWN_NAME) throw new ServiceError('not_found', 'No such name', { shouldRetry: false });
    if (request.name === FAILING_NAME) throw new Error('password=secret');
    return { text: `Hello ${request.name}` };
  }

  async forget(): Promise<void> {}

  async whisper(context: CallContext, request: Greet): Promise<void> {
    this.seen.push({ context, request });
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.open.push(resolve));
  }

  async echo(_context: CallContext, { text }: Text): Promise<Text> {
    return { text };
  }

  async rename(context: CallContext, request: Greet): Promise<Greeting> {
    this.seen.push({ context, request });
    return { text: '' };
  }

  /** Answers all waiting calls. */
  end(): void {
    for (const end of this.open.splice(0)) end();
  }
}

/** Stores the first outcome of each key, in memory. */
class InMemoryKeyedCalls extends KeyedCalls {
  private readonly outcomes = new Map<string, StoredOutcome & Pick<RequestKey, 'bodyHash'>>();

  async answer(context: CallContext, { id, bodyHash }: RequestKey, _options: object, work: Work): Promise<StoredOutcome> {
    const stored = this.outcomes.get(id);
    if (stored && stored.bodyHash !== bodyHash) throw keyReused(new Date(0));
    if (stored) return { ...stored, replayed: true };
    const first = await work({ ...context, requestKey: undefined }).then(
      (ok) => ({ ok }),
      (error: unknown) => ({ error: toErrorShape(error) }),
    );
    this.outcomes.set(id, { outcome: first, replayed: false, bodyHash });
    return { outcome: first, replayed: false };
  }
}

@Module({ controllers: [GreetingsHandlers], providers: [{ provide: KeyedCalls, useClass: InMemoryKeyedCalls }] })
export class GreetingsModule {}

export const caller: CallContext = {
  workspaceId: '11111111-1111-4111-8111-111111111111',
  scopes: ['read:greetings'],
  mode: 'test',
  callId: 'call-1',
  recipients: ['ada', 'ada@example.com'],
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'other=1',
  quota: 7,
};
