import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { redactText } from './redact';

const CHECK_TIMEOUT_MS = 2_000;

/** Probes within this time share one report. */
const ANSWER_AGE_MS_MAX = 500;

/** Resolves when the part is ready, rejects with the reason when not. */
type HealthCheck = () => Promise<void>;

/** Answer of `/health/live` and `/health/ready`. */
export interface HealthReport {
  status: 'ok' | 'unavailable';
  /** By name of the check: `ok` or the reason of the failure. */
  checks: Record<string, string>;
}

/** Readiness and liveness of a process: each part registers its check. */
export class HealthRegistry {
  private readonly checks = new Map<string, HealthCheck>();
  private latest?: { report: Promise<HealthReport>; at: number };
  private stopping = false;

  /** Adds a check to readiness and returns a function that removes it. @throws Error when the name is already registered. */
  register(name: string, check: HealthCheck) {
    if (this.checks.has(name)) throw new Error(`A health check named ${name} is already registered`);
    this.checks.set(name, check);
    this.latest = undefined;
    return () => {
      this.checks.delete(name);
      this.latest = undefined;
    };
  }

  /** The process is about to stop: no longer ready, still live. */
  markStopping() {
    this.stopping = true;
  }

  /** Always `ok`: a process that cannot recover ends itself. Independent of what the process depends on. */
  live(): HealthReport {
    return { status: 'ok', checks: {} };
  }

  /** Whether the process accepts work now. */
  async ready(): Promise<HealthReport> {
    if (this.stopping) return { status: 'unavailable', checks: { process: 'stopping' } };
    const now = performance.now();
    if (!this.latest || now - this.latest.at > ANSWER_AGE_MS_MAX) this.latest = { report: this.runChecks(), at: now };
    return this.latest.report;
  }

  private async runChecks(): Promise<HealthReport> {
    const outcomes = await Promise.all([...this.checks].map(async ([name, check]) => [name, await outcomeOf(check)] as const));
    const status = outcomes.every(([, outcome]) => outcome === 'ok') ? 'ok' : 'unavailable';
    return { status, checks: Object.fromEntries(outcomes) };
  }
}

async function outcomeOf(check: HealthCheck) {
  try {
    return (await withTimeout(CHECK_TIMEOUT_MS, check())) ? 'ok' : `no answer in ${CHECK_TIMEOUT_MS} ms`;
  } catch (error) {
    return redactText(error instanceof Error ? error.message : String(error)) || 'failed';
  }
}
