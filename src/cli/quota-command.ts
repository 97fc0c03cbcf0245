import { AppError } from '../contract/errors.ts';
import type { StorageRecord } from '../contract/storage.ts';
import type { Heavy } from '../features/blobs/usage.table.ts';
import type { Command, Input } from './command.ts';

const units = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 };
/** As many subjects an overview shows. */
const shown = 20;

/** Whom a quota is of. */
type Subject = { kind: 'user' | 'server'; id: string } | null;

/** What people, servers and the installation have stored and may store (contract §8, Storage). */
export const quotaCommand: Command = {
  usage: 'quota [whose] [bytes]',
  summary:
    'what is stored, by all and by those with most, or by one: a <user>, server:<server>, installation; sets how much that may be: 500MiB, 20GB, 0, default',
  async run(input) {
    const { args, print, services } = input;
    const [whose, amount] = args;
    if (whose === undefined) return overview(input);
    const subject = await subjectOf(input, whose);
    if (amount !== undefined) await services.storage.setQuota(subject, bytesIn(amount));
    if (subject === null) return installation(input);
    const { storage } = services;
    const record = subject.kind === 'user' ? await storage.ofUser(subject.id) : await storage.ofServer(subject.id);
    for (const line of linesOf(whose, record)) print(line);
  },
};

async function subjectOf({ services }: Input, whose: string): Promise<Subject> {
  if (whose === 'installation') return null;
  if (!whose.startsWith('server:')) return { kind: 'user', id: await services.operator.find(whose) };
  const { id } = await services.serverAccess.find(whose.slice('server:'.length));
  return { kind: 'server', id };
}

/** @throws AppError VALIDATION_FAILED */
function bytesIn(text: string): number | null {
  if (text === 'default') return null;
  const [, number = '', unit = 'B'] = /^(\d+(?:\.\d+)?)\s*([KMGT]?i?B)?$/i.exec(text) ?? [];
  const factor = Object.entries(units).find(([name]) => name === unit.toUpperCase())?.[1];
  const bytes = Math.round(Number(number) * (factor ?? Number.NaN));
  if (number !== '' && Number.isSafeInteger(bytes)) return bytes;
  const message = `"${text}" is no number of bytes; write 500MiB, 20GB, 1048576, or default.`;
  throw new AppError('VALIDATION_FAILED', { message });
}

async function overview(input: Input): Promise<void> {
  await installation(input);
  const heaviest = await input.services.storage.heaviest(shown);
  for (const one of heaviest) input.print(`${sizeOf(one.bytes).padStart(12)}  ${nameOf(one)}`);
}

async function installation({ services, print }: Input): Promise<void> {
  const { usedBytes, quotaBytes, isCounting } = await services.storage.ofInstallation();
  print(`The installation stores ${sizeOf(usedBytes)} of ${quotaBytes === null ? 'any amount' : sizeOf(quotaBytes)}.`);
  if (isCounting) print('Older files are being counted; until then there are more than this says.');
}

const nameOf = ({ id, username, slug }: Heavy): string => username ?? (slug === null ? id : `server:${slug}`);

function linesOf(whose: string, { usedBytes, quotaBytes, leftBytes, kinds }: StorageRecord): string[] {
  return [
    `${whose} stores ${sizeOf(usedBytes)} of ${sizeOf(quotaBytes)}; ${sizeOf(leftBytes)} are left.`,
    ...kinds.map(({ kind, bytes, files }) => `${sizeOf(bytes).padStart(12)}  ${kind}, ${files} files`),
  ];
}

/** In the largest unit that it has at least one of, with the exact number where that says more. */
function sizeOf(bytes: number): string {
  const [name, size] = (
    [
      ['TiB', 2 ** 40],
      ['GiB', 2 ** 30],
      ['MiB', 2 ** 20],
      ['KiB', 2 ** 10],
    ] as const
  ).find(([, size]) => bytes >= size) ?? ['B', 1];
  return `${Math.round((bytes / size) * 10) / 10} ${name}`;
}
