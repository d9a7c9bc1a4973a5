import { parseNetwork } from '@tidings/contracts/core/network';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { VENDOR_KINDS } from '@tidings/providers/kinds';
import type { Attempt } from '@tidings/providers/provider';
import type { OpenProvider } from '@tidings/providers/provider-kind';
import { Pool } from 'undici';
import { serve } from '../worker';
import type { PeerRequest } from './vendor-peer';
import { VENDOR_CASES } from './vendor-messages';

interface Run {
  /** Of the peer. */
  origin: string;
  calls: number;
  /** At the same time, each over a connection. */
  width: number;
}

export type VendorCallsCommands = {
  /** Sends by the adapter of a vendor; resolves with the CPU of this process, µs per call. */
  adapter(run: Run & { vendor: string }): Promise<number>;
  /** Sends the same bytes by undici and reads the answer. */
  bare(run: Run & { request: PeerRequest }): Promise<number>;
};

const providers = new Map<string, OpenProvider>();
let pool: Pool | undefined;
let nextNumber = 0;

function providerOf(vendor: string, origin: string): OpenProvider {
  const opened = providers.get(vendor);
  if (opened) return opened;
  const kind = VENDOR_KINDS.find(({ key }) => key === vendor)!;
  const guard = new AddressGuard({ allowed: [parseNetwork('127.0.0.1/32')!] });
  const provider = kind.open(kind.parseSettings({ ...VENDOR_CASES[vendor]!.settings, base_url: origin }), { guard });
  providers.set(vendor, provider);
  return provider;
}

function nextAttempt(): Attempt {
  const messageId = `1-6b012214-${String((nextNumber += 1)).padStart(24, '0')}`;
  return { messageId, idempotencyKey: `${messageId}.0`, number: 1, renderedAt: new Date() };
}

async function measured({ calls, width }: Run, one: (index: number) => Promise<void>): Promise<number> {
  let started = 0;
  const before = process.cpuUsage();
  const lane = async () => {
    while (started < calls) await one(started++);
  };
  await Promise.all(Array.from({ length: width }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

serve<VendorCallsCommands>(
  {
    adapter: ({ vendor, ...run }) => {
      const provider = providerOf(vendor, run.origin);
      const { rendered, recipient } = VENDOR_CASES[vendor]!;
      const attempts = Array.from({ length: run.calls }, nextAttempt);
      return measured(run, async (index) => {
        const outcome = await provider.send(rendered, recipient, attempts[index]!);
        if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
      });
    },
    bare: ({ request: { path, headers, body }, ...run }) => {
      const used = (pool ??= new Pool(run.origin, { connections: run.width }));
      return measured(run, async () => {
        const answer = await used.request({ path, method: 'POST', headers, body });
        await answer.body.text();
        if (answer.statusCode >= 300) throw new Error(`The peer answered ${answer.statusCode}`);
      });
    },
  },
  async () => {
    await Promise.all([...[...providers.values()].map((provider) => provider.close()), pool?.destroy()]);
  },
);
