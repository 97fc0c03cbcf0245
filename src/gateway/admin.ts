import { z } from 'zod';
import { textSchema } from '../schema.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';

/** Where Socket.IO's admin UI connects to. */
const namespaceName = '/admin';

/** What it sends to sign in: a name and a password, or the id of a session that it was given before. */
const credentialsSchema = z.union([
  z.object({ sessionId: textSchema(64) }),
  z.object({ username: textSchema(128), password: textSchema(128) }),
]);

/**
 * Lets Socket.IO's admin UI look at this server, behind a name and a password, with numbers only: it sees no socket, no
 * room, no event, and can do nothing. Its other mode shows every message and every token, and wraps what sockets hold.
 * The package is loaded only here.
 * @param admin the bcrypt hash of the password
 * @param isTooMuch counts a try of a client; true: it has had its share
 */
export async function openAdmin(
  io: ParleyServer,
  admin: { username: string; passwordHash: string },
  nodeId: string,
  isTooMuch: (client: ParleySocket['handshake']) => Promise<boolean>,
): Promise<void> {
  const { instrument } = await import('@socket.io/admin-ui');
  // Before the package's own check, which takes anything for a password and a while for each.
  io.of(namespaceName).use((socket, next) => {
    const isWell = credentialsSchema.safeParse(socket.handshake.auth).success;
    if (!isWell) return next(new Error('invalid credentials'));
    isTooMuch(socket.handshake).then(
      (exceeded) => next(exceeded ? new Error('too many tries') : undefined),
      () => next(new Error('try again')),
    );
  });
  instrument(io, {
    namespaceName,
    auth: { type: 'basic', username: admin.username, password: admin.passwordHash },
    mode: 'production',
    readonly: true,
    serverId: nodeId,
  });
}
