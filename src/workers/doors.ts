import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const prefix = 'parley-workers-';
/** Workers that are only starting have no doors yet. */
const youngMs = 60_000;

/** A new folder for the doors of workers. Those that a primary has left behind which was killed are taken away. */
export async function openDoorFolder(folder = tmpdir()): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  // Those of others are not ours to look into; whatever goes wrong, one folder more is no harm.
  await Promise.all(names.map((name) => removeLeft(path.join(folder, name)).catch(() => {})));
  return mkdtemp(path.join(folder, prefix));
}

async function removeLeft(folder: string): Promise<void> {
  const { mtimeMs } = await stat(folder);
  if (Date.now() - mtimeMs < youngMs) return;
  const doors = (await readdir(folder)).map((name) => path.join(folder, name));
  const open = await Promise.all(doors.map(isOpen));
  if (!open.includes(true)) await rm(folder, { recursive: true });
}

/** Whether someone listens behind a Unix socket. Numbers of processes would say nothing: containers begin at 1 again. */
function isOpen(door: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(door);
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
