/** Formats in which spans are sent. */
export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** Which traces are recorded, as `OTEL_TRACES_SAMPLER` names it. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** How a process records and sends spans. */
export interface TracingSettings {
  readonly protocol: (typeof PROTOCOLS)[number];
  /** Headers of the requests that send spans, as for an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the service, instead of the process's own. */
  readonly serviceName?: string;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of the traces that `…traceidratio` records, 0 to 1. */
  readonly samplerRatio: number;
  /** Sending in batches: times in ms. */
  readonly batch: {
    readonly delayMs: number;
    readonly timeoutMs: number;
    readonly queueMax: number;
    readonly spansMax: number;
  };
}
