import { z } from 'zod';
import { textSchema } from '../contract/schema.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';

/** The namespace that Socket.IO's admin UI connects to. */
const namespaceName = '/admin';

/** What it sends to sign in: a name and a password, or the id of an earlier session. */
const credentialsSchema = z.union([
  z.object({ sessionId: textSchema(64) }),
  z.object({ username: textSchema(128), password: textSchema(128) }),
]);

/**
 * Lets Socket.IO's admin UI see numbers of this server, behind a name and a password: it sees no sockets, rooms or events,
 * and can change nothing. Its other mode would show every message and token, and wrap the state of sockets. The package is
 * loaded only here.
 * @param admin name and bcrypt hash of the password
 * @param isOverLimit counts a client's attempt to sign in; true: it is refused
 */
export async function openAdmin(
  io: ParleyServer,
  admin: { username: string; passwordHash: string },
  nodeId: string,
  isOverLimit: (client: ParleySocket['handshake']) => Promise<boolean>,
): Promise<void> {
  const { instrument } = await import('@socket.io/admin-ui');
  // Before the package's own check, which accepts any type as a password and is slow.
  io.of(namespaceName).use((socket, next) => {
    const isValid = credentialsSchema.safeParse(socket.handshake.auth).success;
    if (!isValid) return next(new Error('invalid credentials'));
    isOverLimit(socket.handshake).then(
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
