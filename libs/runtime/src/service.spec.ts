import { type DynamicModule, Injectable, Logger, Module } from '@nestjs/common';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { startService } from './service';

const steps: string[] = [];

@Injectable()
class Part {
  async onApplicationBootstrap(): Promise<void> {
    steps.push('started');
  }

  async onApplicationShutdown(): Promise<void> {
    steps.push('closed');
  }
}

@Injectable()
class BrokenPart {
  async onApplicationBootstrap(): Promise<void> {
    throw new Error('no database');
  }
}

@Module({})
class SpecModule {
  static with(...providers: DynamicModule['providers'] & object): DynamicModule {
    return { module: SpecModule, providers };
  }
}

describe('a service', () => {
  beforeAll(() => void Logger.overrideLogger(false));
  afterAll(() => void Logger.overrideLogger(true));

  beforeEach(() => {
    steps.length = 0;
  });

  it('answers when its start resolves, and closes once', async () => {
    const service = await startService('content', SpecModule.with(Part), new LocalTransport());
    expect(service.get(Part)).toBeInstanceOf(Part);
    expect(steps).toEqual(['started']);

    await Promise.all([service.stop(), service.stop()]);

    expect(steps).toEqual(['started', 'closed']);
  });

  it('closes its parts when it cannot start, and rejects with the reason', async () => {
    const transport = new LocalTransport();

    await expect(startService('content', SpecModule.with(Part, BrokenPart), transport)).rejects.toThrow('no database');

    expect(steps.at(-1)).toBe('closed');
    const second = await startService('content', SpecModule.with(Part), transport);
    await second.stop();
  });
});
