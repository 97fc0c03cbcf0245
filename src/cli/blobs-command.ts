import { z } from 'zod';
import { validated } from '../contract/schema/validation.ts';
import type { MoveReport } from '../features/blobs/blob.mover.ts';
import type { Command, Input } from './command.ts';

const actionSchema = z.object({ action: z.enum(['move', 'check']) });
const placeSchema = z.object({ to: z.enum(['database', 's3']) });
const reportMs = 10_000;

/** Where the bytes of files are (docs/deploying.md). */
export const blobsCommand: Command = {
  usage: 'blobs <move|check> [--to <database|s3>] [--remove-orphans]',
  summary: 'move all files between the database and S3 while the server runs; compare S3 with what should be there',
  async run(input) {
    const { action } = validated(actionSchema, { action: input.args[0] });
    return action === 'move' ? move(input) : check(input);
  },
};

async function move({ options, services, print }: Input): Promise<void> {
  const { to } = validated(placeSchema, { to: options.to });
  let told = performance.now();
  const report = await services.blobMover.move(to, (soFar) => {
    if (performance.now() - told < reportMs) return;
    told = performance.now();
    print(`${described(soFar)} so far`);
  });
  if (!report) return print('Files are being moved by another run of the command.');
  for (const { id, reason } of report.failed) print(`${id}  ${reason}`);
  print(`${described(report)}; ${report.stayed} were in place already, or are small.`);
  if (report.failed.length > 0) print(`${report.failed.length} could not be moved, and are where they were.`);
}

const described = ({ moved, bytes }: MoveReport) => `${moved} files moved, ${(bytes / 2 ** 20).toFixed(1)} MiB`;

async function check({ options, services, print }: Input): Promise<void> {
  const letGo = options['remove-orphans'] === true;
  const { well, broken, orphans, orphanBytes } = await services.objectCheck.run(letGo);
  for (const { id, hash, reason } of broken) print(`${id}  ${hash}  ${reason}`);
  print(`${well} files are in S3 as they should be, ${broken.length} are not.`);
  const amount = `${orphans} objects, ${(orphanBytes / 2 ** 20).toFixed(1)} MiB, belong to nothing`;
  print(letGo ? `${amount}; they are deleted within hours.` : `${amount}.`);
}
