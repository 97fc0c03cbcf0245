import { z } from 'zod';

/** From most to least present (contract §9). */
export const statuses = ['online', 'idle', 'dnd', 'offline'] as const;

export const statusSchema = z.enum(statuses);

export type Status = z.infer<typeof statusSchema>;

export function isStatus(text: string | undefined): text is Status {
  return statuses.some((status) => status === text);
}

/** Knows the current status of users. */
export interface StatusReader {
  statusOf(userId: string): Status;
}

/** A user's current status. */
export interface StatusChange {
  userId: string;
  status: Status;
}
