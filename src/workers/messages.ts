import { z } from 'zod';

/** What the primary tells a worker. */
export const primaryMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stop') }),
  z.object({ kind: z.literal('metrics'), id: z.number(), text: z.string() }),
]);

export type PrimaryMessage = z.infer<typeof primaryMessageSchema>;

const metricsRequest = z.object({ kind: z.literal('metrics'), id: z.number() });
const ready = z.object({ kind: z.literal('ready') });

/** What a worker tells the primary. */
export type WorkerMessage = z.infer<typeof metricsRequest> | z.infer<typeof ready>;

// Other messages on the channel are of the libraries that use it too.
export const isMetricsRequest = (message: unknown): message is z.infer<typeof metricsRequest> =>
  metricsRequest.safeParse(message).success;
export const isReady = (message: unknown): boolean => ready.safeParse(message).success;
