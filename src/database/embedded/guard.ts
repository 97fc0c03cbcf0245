import { spawn } from 'node:child_process';

/**
 * Acts when its input ends without a word: our process died, perhaps by SIGKILL. It looks up the pid only then, since
 * PostgreSQL may have been restarted in the meantime.
 */
const script = 'read -r word && exit 0; pid=$(head -n 1 "$1/postmaster.pid") && kill -INT "$pid"';

/**
 * Ends the PostgreSQL of this folder when our process dies without having done so.
 * @returns dismisses the guard
 */
export function guardFolder(folder: string): () => void {
  const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore'];
  const guard = spawn('/bin/sh', ['-c', script, 'parley-guard', folder], { stdio, detached: true, cwd: '/' });
  // Without the guard the next start finds the orphan and ends it.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  return () => guard.stdin.end('done\n');
}
