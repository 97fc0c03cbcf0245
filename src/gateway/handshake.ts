import { z } from 'zod';
import { channelRoom, type Room } from '../contract/rooms.ts';
import { invalid } from '../contract/schema/validation.ts';
import { isUuid } from '../contract/schema.ts';
import type { ParleySocket } from './socket.ts';

/** Null: the given value is not a position. This affects only its room, and is reported for it. */
const positionSchema = z.number().int().min(0).nullable().catch(null);

/** What `auth` of a handshake may contain (contract §9). An invalid `resume` does not invalidate the token. */
const handshakeSchema = z.object({
  token: z.string().optional().catch(undefined),
  resume: z.record(z.string(), positionSchema).optional().catch(undefined),
  recover: z.boolean().optional().catch(undefined),
});

export type Resume = NonNullable<z.output<typeof handshakeSchema>['resume']>;

/** The channels that were given with a position. */
export const channelsOf = (resume: Resume = {}): [id: string, after: number][] =>
  Object.entries(resume).flatMap(([id, after]) => (isUuid(id) && after !== null ? [[id, after]] : []));

export const roomNamed = (id: string): Room => channelRoom(id.toLowerCase());

export function noPosition(name: string): object {
  const message = 'must be a whole number, at least 0';
  return invalid([{ path: `resume.${name}`, message, code: 'invalid_type' }]).body(undefined);
}

/** What the client gave in `auth`; what is not of the expected form counts as not given. */
export function authOf({ handshake }: ParleySocket): z.output<typeof handshakeSchema> {
  const auth = handshakeSchema.safeParse(handshake.auth);
  return auth.success ? auth.data : {};
}

export const resumeOf = (socket: ParleySocket): Resume | undefined => authOf(socket).resume;
