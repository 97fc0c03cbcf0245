import { z } from 'zod';

/** From the most present down (contract §9). */
export const statuses = ['online', 'idle', 'dnd', 'offline'] as const;

export const statusSchema = z.enum(statuses);

export type Status = z.infer<typeof statusSchema>;

export function isStatus(text: string | undefined): text is Status {
  return statuses.some((status) => status === text);
}

/** Who knows what someone is now. */
export interface StatusReader {
  statusOf(userId: string): Status;
}

/** What someone is now. */
export interface StatusChange {
  userId: string;
  status: Status;
}
