import { z } from 'zod';

/** Messages from the primary to a worker. */
export const primaryMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stop') }),
  z.object({ kind: z.literal('metrics'), id: z.number(), text: z.string() }),
]);

export type PrimaryMessage = z.infer<typeof primaryMessageSchema>;

const metricsRequest = z.object({ kind: z.literal('metrics'), id: z.number() });
const ready = z.object({ kind: z.literal('ready') });

/** Messages from a worker to the primary. */
export type WorkerMessage = z.infer<typeof metricsRequest> | z.infer<typeof ready>;

// Libraries send other messages on the channel too.
export const isMetricsRequest = (message: unknown): message is z.infer<typeof metricsRequest> =>
  metricsRequest.safeParse(message).success;
export const isReady = (message: unknown): boolean => ready.safeParse(message).success;
