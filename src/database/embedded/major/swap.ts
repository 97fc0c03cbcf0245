import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { syncFolder } from '../draft.ts';

/** Names in the data folder. */
const planSchema = z.object({ kept: z.string(), draft: z.string() });

const planOf = (folder: string) => `${folder}.swap`;

/**
 * Puts a complete cluster into the place of another one, which is kept under another name. Two renames cannot be one
 * step, so the plan is written first: whoever starts after a crash carries it out.
 * @param draft the folder of the new cluster, beside the other
 * @param kept what the other is to be called, beside it
 */
export async function swap(folder: string, draft: string, kept: string): Promise<void> {
  const plan = { kept: path.basename(kept), draft: path.basename(draft) };
  const handle = await open(`${planOf(folder)}.draft`, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(plan));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${planOf(folder)}.draft`, planOf(folder));
  await syncFolder(path.dirname(folder));
  await finishSwap(folder);
}

/** Carries out what is left of a plan; nothing when there is none. */
export async function finishSwap(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const file = planOf(folder);
  if (!existsSync(file)) return;
  const plan = planSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const [kept, draft] = [path.join(parent, plan.kept), path.join(parent, plan.draft)];
  if (existsSync(draft)) {
    if (existsSync(folder) && !existsSync(kept)) await rename(folder, kept);
    if (!existsSync(folder)) await rename(draft, folder);
    await syncFolder(parent);
  }
  await rm(file);
  await syncFolder(parent);
}
