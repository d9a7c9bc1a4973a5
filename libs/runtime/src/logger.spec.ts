import { Logger } from '@nestjs/common';
import { type LoggerOptions, ProcessLogger } from './logger';

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const logger = ProcessLogger.create({
    process: 'messaging',
    format: 'json',
    destination: { write: (line) => lines.push(line) },
    ...options,
  });
  return { logger, lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('ProcessLogger', () => {
  afterEach(() => void Logger.overrideLogger(true));

  it("writes what the framework's logger logs", () => {
    const { logger, entries } = capture();
    Logger.overrideLogger(logger);

    new Logger('Router').warn('Late');

    expect(entries()).toEqual([expect.objectContaining({ level: 'warn', process: 'messaging', context: 'Router', message: 'Late' })]);
  });

  it('writes fields and call id beside the message', () => {
    const { logger, entries } = capture();

    logger.log({ message: 'Sent', callId: 'call-1', attempt: 2 }, 'Dispatcher');

    expect(entries()).toEqual([expect.objectContaining({ callId: 'call-1', attempt: 2, message: 'Sent', context: 'Dispatcher' })]);
  });

  it('writes an error with its stack and causes, without its other properties', () => {
    const { logger, entries } = capture();
    const cause = new TypeError('deep');
    const error = Object.assign(new Error('Failed', { cause }), { code: 'E1', parameters: ['personal data'] });

    logger.error('Cannot send', error, 'Dispatcher');

    expect(entries()[0]).toMatchObject({
      message: 'Cannot send',
      error: {
        type: 'Error',
        code: 'E1',
        message: 'Failed',
        stack: expect.stringContaining('logger.spec') as string,
        cause: { message: 'deep' },
      },
    });
    expect(JSON.stringify(entries())).not.toContain('personal data');
  });

  it('writes the stack of an error in a field below the line', () => {
    const { logger, lines } = capture({ format: 'lines' });

    logger.error({ err: new Error('oh'), callId: 'call-1' }, 'Failed', 'Dispatcher');

    const [line, ...below] = lines.join('').split('\n');
    expect(line).toMatch(/Dispatcher\s+Failed\s+callId=call-1$/);
    expect(below[0]).toBe('    Error: oh');
  });

  it.each([
    [{ headers: { authorization: 'Bearer hunter2222' } }],
    [{ password: 'hunter2222' }],
    [{ provider: { apiKey: 'hunter2222', api_key: 'hunter2222' } }],
    [{ push: [{ token: 'hunter2222', deviceToken: 'hunter2222' }] }],
    [{ url: 'smtp://ada:hunter2222@mail' }],
    [{ error: new Error('postgres://ada:hunter2222@db refused') }],
    [{ message: 'used Bearer hunter2222' }],
    [{ text: 'pk_prod_hunter2222' }],
    [{ text: 'issued eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJ0In0.hunter2222 to ada' }],
  ])('hides the secret in %j', (fields) => {
    const { logger, lines } = capture();

    logger.log(fields);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('[redacted]');
    expect(lines[0]).not.toContain('hunter2222');
  });

  it('cuts off an object that refers to itself', () => {
    const { logger, lines } = capture();
    const loop: Record<string, unknown> = {};
    loop.self = loop;

    logger.log({ loop });

    expect(lines[0]).toContain('[deeper]');
  });

  it('logs nothing below its level, and start messages of the framework only at debug', () => {
    const { logger, entries } = capture();

    logger.debug('Detail', 'Router');
    logger.log('Dependencies initialized', 'InstanceLoader');
    logger.log('Ready', 'Router');

    expect(entries().map(({ message }) => message)).toEqual(['Ready']);
  });

  it('formats lines for people', () => {
    const { logger, lines } = capture({ format: 'lines' });

    logger.log({ message: 'Sent', attempt: 2 }, 'Dispatcher');
    logger.error('Failed', new Error('why'), 'Dispatcher');

    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}info {3}Dispatcher {2}Sent {2}attempt=2\n$/);
    expect(lines[1]).toMatch(/ERROR {2}Dispatcher {2}Failed\n {4}Error: why\n {8}at /);
  });
});
