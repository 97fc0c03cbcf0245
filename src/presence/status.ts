/** From the most present down (contract §9). */
export const statuses = ['online', 'idle', 'dnd', 'offline'] as const;

export type Status = (typeof statuses)[number];

export function isStatus(text: string | undefined): text is Status {
  return statuses.some((status) => status === text);
}

/** What someone is now. */
export interface StatusChange {
  userId: string;
  status: Status;
}
