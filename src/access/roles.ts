/** Roles of a server, from the most powerful down (contract §5). */
export const roles = ['owner', 'admin', 'moderator', 'member'] as const;

export type Role = (typeof roles)[number];
