import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const prefix = 'parley-workers-';
/** Workers that are just starting have no sockets here yet. */
const youngMs = 60_000;

/** A new folder for the workers' Unix sockets. Those left behind by a primary that was killed are removed. */
export async function makeSocketFolder(folder = tmpdir()): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  // Other users' folders are not ours to read; on any failure, one leftover folder does no harm.
  await Promise.all(names.map((name) => removeLeft(path.join(folder, name)).catch(() => {})));
  return mkdtemp(path.join(folder, prefix));
}

async function removeLeft(folder: string): Promise<void> {
  const { mtimeMs } = await stat(folder);
  if (Date.now() - mtimeMs < youngMs) return;
  const sockets = (await readdir(folder)).map((name) => path.join(folder, name));
  const open = await Promise.all(sockets.map(isOpen));
  if (!open.includes(true)) await rm(folder, { recursive: true });
}

/** Whether a process listens on a Unix socket. Process ids prove nothing: in containers they start at 1 again. */
function isOpen(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
