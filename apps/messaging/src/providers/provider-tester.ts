import { Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { TEST_MS_MAX } from '@tidings/contracts/messaging/providers';
import type { TestResult } from '@tidings/providers/provider-kind';
import { TestLimit } from '../test-limit';
import { ProviderConfigurations } from './provider-configurations';
import { ProviderPauses } from './provider-pauses';

/** Tests the credentials of providers. */
@Injectable()
export class ProviderTester {
  private readonly limit = new TestLimit('providers');

  constructor(
    private readonly configurations: ProviderConfigurations,
    private readonly pauses: ProviderPauses,
  ) {}

  /**
   * Tests a configuration as it is stored now, within `TEST_MS_MAX`.
   * @throws ServiceError `not_found`; `rate_limited` after `TESTS_MAX` tests of the workspace within a minute.
   */
  async test({ workspaceId, mode }: CallContext, id: string): Promise<TestResult> {
    const configuration = await this.configurations.find(workspaceId, id, { anew: true });
    if (!configuration) throw notFound(`Provider configuration ${id} does not exist`);
    if (mode === 'test') return { ok: false, message: 'The key is a test key: it calls no provider' };
    if (await this.pauses.isPaused(configuration)) return { ok: false, message: 'The provider is paused' };
    this.limit.count(workspaceId);
    return configuration.withProvider((provider) => provider.test(AbortSignal.timeout(TEST_MS_MAX)));
  }
}
